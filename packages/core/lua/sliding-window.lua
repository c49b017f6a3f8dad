-- Sliding window counter: `a` is the start of the current window, `b` what was charged in it, `c` in the one before.
local sliding_window = {}

function sliding_window.advance(policy, row, now)
  local window = policy.window
  local start = now - now % window
  local went_back = row.a > start
  if went_back then
    row.b = max(row.b, min(policy.limit, row.b + row.c))
    row.c = 0
  elseif row.a < start then
    row.c = row.a == start - window and row.b or 0
    row.b = 0
  end
  row.a = start
  return went_back
end

function sliding_window.wait(policy, row, now, cost)
  local limit, window = policy.limit, policy.window
  local left, wait = row.a + window - now, 0
  local spare = limit - row.b - cost
  if cost > limit then
    wait = NEVER
  elseif spare < 0 then
    wait = left + window - floor((limit - cost) * window / row.b)
  elseif row.c > 0 then
    wait = max(0, left - floor(spare * window / row.c))
  end
  return wait
end

-- Whether the charge is one more in a window that goes on.
function sliding_window.joins(policy, row, now, cost)
  local spare, left = policy.limit - row.b - cost, row.a + policy.window - now
  return row.a <= now and left > 0 and spare >= 0 and spare * policy.window >= row.c * left
end

function sliding_window.take(policy, row, now, cost)
  local used = row.b + cost
  row.b = used * policy.window <= MAX_SAFE and used or floor(MAX_SAFE / policy.window)
end

function sliding_window.give_back(policy, row, at, amount)
  local start = at - at % policy.window
  if start == row.a then
    row.b = max(0, row.b - amount)
  elseif start == row.a - policy.window then
    row.c = max(0, row.c - amount)
  end
end

function sliding_window.reset(policy, row, now)
  local left = row.a + policy.window - now
  return row.b > 0 and left + policy.window or row.c > 0 and left or 0
end

-- How much longer than it has to be a value is kept. Its end is the same for a whole window.
function sliding_window.slack(policy, reset_ms)
  return 0
end
