-- Fixed window: `a` is the start of the window, `b` what was charged in it. `extra` is 'first-hit', or 0 where windows begin
-- at whole multiples of their length since 1970.
local fixed_window = {}

function fixed_window.advance(policy, row, now)
  local went_back
  if policy.extra ~= 'first-hit' then
    local start = now - now % policy.window
    went_back = row.a > start
    if row.a < start then row.b = 0 end
    row.a = start
  elseif row.b == 0 or now >= row.a + policy.window then
    went_back = false
    row.a, row.b = now, 0
  else
    went_back = row.a > now
    if went_back then row.a = now end
  end
  return went_back
end

function fixed_window.wait(policy, row, now, cost)
  local wait = 0
  if cost > policy.limit then
    wait = NEVER
  elseif row.b + cost > policy.limit then
    wait = row.a + policy.window - now
  end
  return wait
end

-- Whether the charge is one more in a window that goes on.
function fixed_window.joins(policy, row, now, cost)
  return row.a <= now and now < row.a + policy.window and row.b + cost <= policy.limit
end

function fixed_window.take(policy, row, now, cost)
  row.b = row.b + cost
  if row.b > MAX_SAFE then row.b = MAX_SAFE end
end

function fixed_window.give_back(policy, row, at, amount)
  local current
  if policy.extra == 'first-hit' then
    current = at >= row.a
  else
    current = at - at % policy.window == row.a
  end
  if current then row.b = max(0, row.b - amount) end
end

function fixed_window.reset(policy, row, now)
  return row.b > 0 and row.a + policy.window - now or 0
end

-- How much longer than it has to be a value is kept. Its end is the same for a whole window.
function fixed_window.slack(policy, reset_ms)
  return 0
end
