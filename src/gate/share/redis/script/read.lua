-- The ledger of a gate, kept in one hash. What `src/gate/ledger` says in Rust is said here once more, in the same order and by the
-- same names, for gates whose callers look for themselves; a test holds the two together. The parts of this script are one text:
-- this one
-- reads, `pace.lua` and `queue.lua` know, `step.lua` acts and writes.
--
-- All numbers are counts or whole microseconds. Doubles hold them exactly up to 2^53, and `units.rs` sees to it that nothing goes
-- beyond. What little does is bounded before it is used.

local max, min, fmod, huge = math.max, math.min, math.fmod, math.huge

-- Rounds toward zero, exactly.
local function div(a, b) return (a - fmod(a, b)) / b end

local given = 0

local function text()
  given = given + 1
  return ARGV[given]
end

local function number() return tonumber(text()) end

local function flag() return text() == '1' end

-- Tests set the clock.
local now = number()
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local rules = {}
for name in string.gmatch([[interval burst grace backoff_cap longest_backoff widening lease max_in_flight max_queued window stagger
  longest_sleep]], '%S+') do
  rules[name] = number()
end
rules.waits_while_closed = flag()
-- Sent with throttles only.
rules.backoffs = {}
for backoff in string.gmatch(text(), '%d+') do
  table.insert(rules.backoffs, tonumber(backoff))
end
local is_unlimited = rules.max_in_flight < 0
if is_unlimited then rules.max_in_flight = huge end

local memory = { born = number(), round = number(), streak = number(), on_trial = flag(), arrival = number(), closed = number() }

local LAYOUT = 1
local LONGEST = 2^40
local MOST = 2^53 - 1
local MOST_STREAK = 2^32 - 1
-- How much longer than it must a state is kept, for news that comes late.
local SLACK = 10000000

local function long_before(now) return now - 2^50 end

-- Open, and nobody has ever started.
local function new()
  local long_ago = long_before(now)
  return {
    layout = LAYOUT,
    born = now,
    last_start = long_ago,
    arrival = long_ago,
    widened_until = long_ago,
    interval = rules.interval,
    closed_until = long_ago,
    closed_length = 0,
    round = 0,
    streak = 0,
    on_trial = false,
    last_ticket = max(now, 0),
    voided = 0,
    last_grant = 0,
    places = {},
    refused = {},
    out = {},
  }
end

-- The numbers of a state, with the least and the most that each may be.
local NUMBERS = {
  { 'layout', 0, MOST },
  { 'born', -MOST, MOST },
  { 'last_start', -MOST, MOST },
  { 'arrival', -MOST, MOST },
  { 'widened_until', -MOST, MOST },
  { 'interval', 0, LONGEST },
  { 'closed_until', -MOST, MOST },
  { 'closed_length', 0, LONGEST },
  { 'round', 0, MOST / 2 },
  { 'streak', 0, MOST_STREAK },
  { 'on_trial', 0, 1 },
  { 'last_ticket', 0, MOST / 2 },
  { 'voided', 0, MOST / 2 },
  { 'last_grant', 0, MOST / 2 },
}

-- Its lists of words, each of some numbers. The first of these grows from word to word.
local LISTS = {
  { 'places', '(%d+):(-?%d+):(-?%d+)', '%.0f:%.0f:%.0f', 'ticket', 'look', 'latest' },
  { 'refused', '(%d+)', '%.0f', 'ticket' },
  { 'out', '(%d+):(%d+):(-?%d+):([01])', '%.0f:%.0f:%.0f:%.0f', 'number', 'round', 'lease', 'alone' },
}

local function read_number(word, least, most)
  local value = word and string.match(word, '^-?%d+$') and tonumber(word)
  return value and value >= least and value <= most and value
end

local function read_list(words, pattern, _, first, second, third, fourth)
  if not words then return nil end
  local list, length, last = {}, 0, -1
  for word, a, b, c, d in string.gmatch(words .. ' ', '(' .. pattern .. ') ') do
    local entry = { word = word, [first] = tonumber(a) }
    if b then entry[second], entry[third] = tonumber(b), tonumber(c) end
    if d then entry[fourth] = tonumber(d) end
    if entry[first] <= last or entry[first] > MOST then return nil end
    if b and (math.abs(entry[second]) > MOST or math.abs(entry[third]) > MOST) then return nil end
    last = entry[first]
    length = length + #word + 1
    list[#list + 1] = entry
  end
  return (length == #words + 1 or words == '') and list
end

-- `nil` if the hash holds no state.
local function read(fields)
  local read = {}
  for _, shape in ipairs(NUMBERS) do
    local name = shape[1]
    read[name] = read_number(fields[name], unpack(shape, 2))
    if not read[name] then return nil end
  end
  for _, shape in ipairs(LISTS) do
    local name = shape[1]
    read[name] = read_list(fields[name], unpack(shape, 2))
    if not read[name] then return nil end
  end
  read.on_trial = read.on_trial == 1
  return read.voided <= read.last_ticket and read
end

local kept = redis.pcall('HGETALL', KEYS[1])
if kept.err then return kept end
local fields = {}
for at = 1, #kept, 2 do
  fields[kept[at]] = kept[at + 1]
end
local layout = read_number(fields.layout, 0, MOST)
if layout and layout ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. layout .. ' is not ' .. LAYOUT)
end

local state = #kept > 0 and read(fields)
-- Someone else has written there: as if one had started just now, without a burst.
local is_spoiled = #kept > 0 and not state
if not state then state = new() end
