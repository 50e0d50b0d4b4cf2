
-- pace.rs: how close starts may come.

local pace = {}

local put_off = (rules.burst - 1) * rules.interval

function pace.interval(time)
  if state.widened_until > time then return rules.interval * 2 end
  return rules.interval
end

function pace.start_of(opening, place)
  local arrival = pace.arrival_at(opening)
  local wide = min(place, pace.wide_starts(opening, arrival))
  local due = arrival + (place + wide) * rules.interval - put_off
  return max(opening.at, due)
end

function pace.start(opening)
  local interval = pace.interval(opening.at)
  state.arrival = pace.arrival_at(opening) + interval
  state.last_start = opening.at
end

function pace.started()
  local interval = pace.interval(state.last_start)
  state.arrival = max(state.arrival, now + interval)
  state.last_start = max(state.last_start, now)
end

function pace.widen(opening)
  if rules.widening > 0 then state.widened_until = opening + rules.widening end
end

function pace.forget_widening() state.widened_until = min(state.last_start, long_before(now)) end

function pace.recount(new)
  local old = state.interval
  state.interval = new
  if old == new then return end
  local recounted = new
  if old > 0 then
    local counted = state.arrival - state.last_start
    local part = fmod(counted, old)
    recounted = (counted - part) / old * new
    if part ~= 0 and new > old then
      recounted = recounted + part + (new - old)
    elseif part ~= 0 then
      recounted = recounted + min(part, new)
    end
  end
  state.arrival = state.last_start + recounted
end

function pace.recall(ahead)
  local arrival = now + ahead
  if arrival > state.arrival then
    state.arrival = arrival
    local start = min(arrival - rules.interval, now)
    state.last_start = max(state.last_start, start)
  end
end

function pace.bound_by_clock(opening)
  local latest = max(opening, now) + rules.widening
  state.widened_until = min(state.widened_until, latest)
  local widest = rules.interval
  if rules.widening > 0 then widest = rules.interval * 2 end
  latest = now + put_off + widest
  if state.arrival > latest then
    local ahead = state.arrival - latest
    state.arrival = latest
    state.last_start = max(state.last_start - ahead, long_before(now))
  end
  state.last_start = min(state.last_start, now)
end

function pace.arrival_at(opening)
  local earliest = opening.at
  if not opening.with_burst then earliest = earliest + put_off end
  return max(state.arrival, earliest)
end

function pace.wide_starts(opening, arrival)
  local first = arrival - put_off
  local time = state.widened_until - first
  local wide = rules.interval * 2
  if opening.at >= state.widened_until or time <= 0 or wide == 0 then return 0 end
  return 1 + div(time - 1, wide)
end

-- closing.rs: when the gate is closed, and what it takes to trust it open again.

local closing = {}

function closing.is_closed() return state.closed_until > now end

function closing.streak()
  local open_for = now - state.closed_until
  if open_for >= rules.backoff_cap then return 0 end
  return state.streak
end

function closing.backoff(streak) return rules.backoffs[min(max(streak, 1), #rules.backoffs)] end

-- Whether the gate is closed by it, and whether a back-off begins with it.
function closing.close(round, throttle)
  local is_new = not closing.is_closed()
  if round then is_new = round == state.round end
  if is_new then
    local streak = closing.streak()
    if streak == 0 then
      streak = 1
    elseif state.on_trial then
      streak = min(streak + 1, MOST_STREAK)
    end
    state.streak = streak
    state.round = state.round + 1
    state.on_trial = true
  elseif not state.on_trial then
    return false
  end
  local usual = closing.backoff(state.streak)
  local jitter = div(usual * throttle.jitter, 1000)
  usual = min(usual + jitter, rules.backoff_cap)
  local length = max(usual, min(throttle.at_least, rules.longest_backoff))
  state.closed_until = max(state.closed_until, now + length)
  state.closed_length = state.closed_until - now
  return true, is_new
end

function closing.ahead() return min(state.closed_until - now, state.closed_length) end

function closing.left() return max(closing.ahead(), 0) end

function closing.answered(round)
  local shows = round == state.round and not closing.is_closed()
  state.on_trial = state.on_trial and not shows
  return shows
end

function closing.reset()
  state.closed_until = long_before(now)
  state.closed_length = 0
  state.round = state.round + 1
  state.streak = 0
  state.on_trial = false
end

function closing.recall(memory, is_lost)
  local closed = min(memory.closed, rules.longest_backoff)
  local is_longer = closed > closing.left()
  local is_later = is_lost or memory.round > state.round
  local says_more = is_longer and (memory.round == state.round or state.on_trial)
  if not is_later and not says_more then return end
  if not is_lost then
    state.round = max(state.round, memory.round)
  elseif is_longer and not closing.is_closed() then
    state.round = state.round + 1
  end
  local is_forgotten = closed + rules.backoff_cap <= 0
  local streak = is_forgotten and 0 or memory.streak
  state.streak = max(closing.streak(), streak)
  state.on_trial = state.on_trial or memory.on_trial or is_longer
  if streak > 0 or is_longer then state.closed_until = max(state.closed_until, now + closed) end
  if is_longer then state.closed_length = closed end
end

function closing.bound_by_clock() state.closed_until = min(state.closed_until, now + state.closed_length) end
