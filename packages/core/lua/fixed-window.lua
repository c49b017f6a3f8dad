-- Fixed window: `a` is the start of the window, `b` what was charged in it. `extra` is 'first-hit' or 'epoch'.
local fixed_window = {}

function fixed_window.advance(policy, row, now)
  if policy.extra == 'first-hit' then
    if row.b == 0 or now >= row.a + policy.window then
      row.a, row.b = now, 0
      return false
    end
    local went_back = row.a > now
    if went_back then row.a = now end
    return went_back
  end
  local start = now - now % policy.window
  local went_back = row.a > start
  if row.a < start then row.b = 0 end
  row.a = start
  return went_back
end

function fixed_window.wait(policy, row, now, cost)
  if cost > policy.limit then return NEVER end
  if row.b + cost <= policy.limit then return 0 end
  return row.a + policy.window - now
end

function fixed_window.take(policy, row, now, cost)
  row.b = min(row.b + cost, MAX_SAFE)
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

function fixed_window.remaining(policy, row, now)
  return max(0, policy.limit - row.b)
end

function fixed_window.reset(policy, row, now)
  return row.b > 0 and row.a + policy.window - now or 0
end
