
-- queue.rs: who waits, in order.

local queue = {}

local function retain(list, is_kept)
  local kept = {}
  for _, entry in ipairs(list) do
    if is_kept(entry) then kept[#kept + 1] = entry end
  end
  return kept
end

-- How many of a list stand before this ticket, and the entry that has it.
local function find(list, ticket)
  local before, after = 0, #list
  while before < after do
    local middle = div(before + after, 2)
    if list[middle + 1].ticket < ticket then before = middle + 1 else after = middle end
  end
  local next = list[before + 1]
  return before, next and next.ticket == ticket and next
end

local function drop(list, ticket)
  local before, entry = find(list, ticket)
  if entry then table.remove(list, before + 1) end
end

local function look_at(entry, look)
  if entry.look ~= look then entry.look, entry.word = look, nil end
end

function queue.issue()
  state.last_ticket = max(state.last_ticket + 1, now)
  return state.last_ticket
end

function queue.has_issued(ticket) return ticket <= state.last_ticket end

function queue.is_refused(ticket)
  local _, refused = find(state.refused, ticket)
  return ticket <= state.voided or refused
end

function queue.place_of(ticket)
  if not ticket then return #state.places end
  return (find(state.places, ticket))
end

function queue.first_look(place)
  local first
  for at = 1, min(place, #state.places) do
    first = min(first or huge, state.places[at].look)
  end
  return first
end

function queue.pass_over(earliest, latest, except)
  state.places = retain(state.places, function(place)
    look_at(place, min(place.look, latest))
    return place.look >= earliest or place.ticket == except
  end)
end

function queue.put(ticket, look, latest)
  local before, entry = find(state.places, ticket)
  if not entry then
    entry = { ticket = ticket }
    table.insert(state.places, before + 1, entry)
  end
  entry.look, entry.latest, entry.word = look, latest, nil
end

function queue.remove(ticket)
  if not ticket then return end
  drop(state.places, ticket)
  drop(state.refused, ticket)
end

function queue.void()
  state.voided = state.last_ticket
  state.refused = {}
  state.places = {}
end

function queue.refuse(most, is_late)
  local place = 0
  state.places = retain(state.places, function(entry)
    local late = is_late(place, entry)
    if late then
      table.insert(state.refused, { ticket = entry.ticket })
    else
      place = place + 1
    end
    return not late
  end)
  table.sort(state.refused, function(a, b) return a.ticket < b.ticket end)
  while #state.refused > most do
    table.remove(state.refused, 1)
  end
end

-- out.rs: the turns that are out.

local out = {}

-- `nil` for a turn that a lost state gave.
local function round_of(grant)
  if grant.born == state.born then return grant.round end
end

local function is_of(entry, grant)
  return grant.is_awaited and grant.born == state.born and entry.number == grant.number and entry.round == grant.round
end

local function is_alone(entry) return (entry.alone == 1 or state.on_trial) and entry.round == state.round end

local function answered(grant)
  if not closing.answered(round_of(grant)) then return end
  for _, entry in ipairs(state.out) do
    if is_of(entry, grant) then entry.alone, entry.word = 0, nil end
  end
end

local function forget_idle()
  if is_unlimited then state.out = {} end
end

local function free()
  local most = huge
  if state.on_trial then most = 1 end
  for _, entry in ipairs(state.out) do
    if is_alone(entry) then most = 0 end
  end
  return min(most, max(rules.max_in_flight - #state.out, 0))
end

local function blocked_until()
  local alone, first_back = -huge, huge
  for _, entry in ipairs(state.out) do
    if is_alone(entry) then alone = max(alone, entry.lease) end
    first_back = min(first_back, entry.lease)
  end
  if #state.out < rules.max_in_flight then first_back = -huge end
  return max(alone, first_back)
end
