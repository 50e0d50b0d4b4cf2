
-- look.rs: when callers may start, and when they should look whether they may.

local function opening()
  return { at = max(state.closed_until, now), with_burst = not state.on_trial }
end

local function start_of(place) return pace.start_of(opening(), place) end

local function look_of(place)
  local opening = opening()
  opening.at = max(opening.at, blocked_until())
  local behind = min(place, rules.window)
  local look = pace.start_of(opening, place - behind)
  if pace.start_of(opening, 0) <= now then
    local ahead = queue.first_look(place) or now
    look = max(now, ahead + rules.grace) + 1
  end
  look = look + behind * rules.stagger
  local longest_sleep = rules.longest_sleep
  if place <= rules.window then longest_sleep = div(longest_sleep, 2) end
  return min(look, now + longest_sleep)
end

-- take.rs: what becomes of a caller that asks for a turn.

local function hold_due_place(ticket, latest)
  if not ticket then
    ticket = queue.issue()
    queue.put(ticket, now, latest)
    return ticket
  end
  local _, place = find(state.places, ticket)
  if place then look_at(place, min(place.look, now)) end
  return ticket
end

local function give(alone)
  pace.start(opening())
  state.last_grant = max(state.last_grant + 1, now)
  local grant = { born = state.born, number = state.last_grant, round = state.round }
  grant.is_awaited = alone or state.on_trial or not is_unlimited
  forget_idle()
  if grant.is_awaited then
    table.insert(state.out,
      { number = grant.number, round = grant.round, lease = now + rules.lease, alone = alone and 1 or 0 })
  end
  return grant
end

local function take(ticket, max_wait, ask)
  local left = max(state.closed_until - now, 1)
  if ticket and not queue.has_issued(ticket) then ticket = nil end
  local refused = ticket and queue.is_refused(ticket)
  local closed = closing.is_closed()
  if refused or (closed and not rules.waits_while_closed) then
    queue.remove(ticket)
    return 'backing_off', left
  end
  queue.pass_over(now - rules.grace, now + rules.longest_sleep, ticket)
  local place = queue.place_of(ticket)
  local wait = start_of(place) - now
  local slip = 0
  if ticket and max_wait > 0 then slip = rules.grace end
  if wait > max_wait + slip then
    queue.remove(ticket)
    if closed and left > max_wait then return 'backing_off', left end
    return 'past_deadline', wait - max_wait
  end
  local due = wait <= 0 and place < free()
  if due and ask ~= 'look' then
    queue.remove(ticket)
    local grant = give(ask == 'spend_alone')
    return 'go', grant.born, grant.number, grant.round, grant.is_awaited and 1 or 0
  end
  if not due and max_wait <= 0 then
    queue.remove(ticket)
    return 'past_deadline', max(look_of(place) - now, 1)
  end
  local bound = max(rules.max_queued, due and 1 or 0)
  if not ticket and #state.places >= bound then
    return 'queue_full', max(look_of(0) - now, 1)
  end
  local latest = now + max_wait
  if due then
    return 'due', hold_due_place(ticket, latest)
  end
  local look = max(look_of(place), now + 1)
  ticket = ticket or queue.issue()
  queue.put(ticket, look, latest)
  return 'wait', ticket, look - now
end

-- mod.rs: what is asked and told.

local function bound_by_clock()
  pace.recount(rules.interval)
  closing.bound_by_clock()
  pace.bound_by_clock(state.closed_until)
  local latest = now + rules.lease
  state.out = retain(state.out, function(entry) return entry.lease > now end)
  for _, entry in ipairs(state.out) do
    if entry.lease > latest then entry.lease, entry.word = latest, nil end
  end
end

local function close(round, throttle)
  local closes, is_new = closing.close(round, throttle)
  if not closes then return 'done' end
  pace.widen(state.closed_until)
  local opening = opening()
  if rules.waits_while_closed then
    queue.refuse(rules.max_queued, function(place, entry) return pace.start_of(opening, place) > entry.latest end)
  else
    queue.void()
  end
  return 'closed', is_new and 1 or 0
end

local function read_grant() return { born = number(), number = number(), round = number(), is_awaited = flag() } end

local function read_throttle() return { at_least = number(), jitter = number() } end

local commands = {}

function commands.take() return take(number(), number(), text()) end

function commands.leave() queue.remove(number()) end

function commands.started() pace.started() end

function commands.answered() answered(read_grant()) end

function commands.settle()
  local grant, finding = read_grant(), text()
  state.out = retain(state.out, function(entry) return not is_of(entry, grant) end)
  if finding == 'answered' then
    answered(grant)
  elseif finding == 'throttled' then
    return close(round_of(grant), read_throttle())
  end
end

function commands.throttled() return close(nil, read_throttle()) end

function commands.reset()
  closing.reset()
  pace.forget_widening()
end

local function step()
  bound_by_clock()
  return commands[text()]()
end

-- memory.rs and view.rs: what is known of a state from afar.

local function recall(memory)
  -- It is remembered in these rules' intervals.
  pace.recount(rules.interval)
  pace.recall(memory.arrival)
  closing.recall(memory, memory.born ~= state.born)
end

local function view()
  return {
    state.born, state.round, closing.streak(), state.on_trial and 1 or 0, state.arrival - now, closing.ahead(),
    pace.interval(now), #state.places, start_of(#state.places) - now,
  }
end

-- record.rs: the state, written.

local function written(value)
  if value == true then value = 1 end
  -- No zero has a sign.
  return string.format('%.0f', (value or 0) + 0)
end

local function written_list(list, layout, first, second, third, fourth)
  local words = {}
  for at, entry in ipairs(list) do
    words[at] = entry.word or string.format(layout, entry[first], entry[second], entry[third], entry[fourth])
  end
  return table.concat(words, ' ')
end

-- For how long the state says more than a new one would: of starts, of turns that are out, of back-offs that are remembered, of
-- places. A trial is forgotten with the streak, once nobody has asked for as long.
local function lasts()
  local last = max(state.arrival, state.widened_until, state.last_start + rules.lease, state.closed_until)
  if state.streak > 0 then last = max(last, state.closed_until + rules.backoff_cap) end
  if state.on_trial then last = max(last, state.closed_until + rules.backoff_cap, now + rules.backoff_cap) end
  for _, place in ipairs(state.places) do last = max(last, place.look + rules.grace) end
  for _, entry in ipairs(state.out) do last = max(last, entry.lease) end
  return max(last - now, 0)
end

local function write()
  local fields = {}
  for _, shape in ipairs(NUMBERS) do
    local name = shape[1]
    fields[#fields + 1] = name
    fields[#fields + 1] = written(state[name])
  end
  for _, shape in ipairs(LISTS) do
    local name = shape[1]
    fields[#fields + 1] = name
    fields[#fields + 1] = written_list(state[name], unpack(shape, 3))
  end
  redis.call('HSET', KEYS[1], unpack(fields))
  redis.call('PEXPIRE', KEYS[1], written(math.ceil((lasts() + SLACK) / 1000)))
end

if is_spoiled then pace.recall(rules.burst * rules.interval) end
recall(memory)
local outcome = { step() }
local name = table.remove(outcome, 1) or 'done'
write()
return { name, outcome, view(), now }
