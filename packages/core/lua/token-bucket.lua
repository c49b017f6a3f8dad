-- Token bucket: `a` is the time of the level, `b` the level in units of 1/window token, `c` since when it has been full.
-- `extra` is the refill.
local token_bucket = {}

function token_bucket.advance(policy, row, now)
  local full = policy.limit * policy.window
  if row.a == FRESH then
    row.a, row.b, row.c = now, full, now
  end
  local went_back = row.a > now
  local gain = went_back and 0 or (now - row.a) * policy.extra
  local missing = full - row.b
  if gain < missing then
    row.b = row.b + gain
  elseif missing ~= 0 then
    row.b = full
    row.c = missing > 0 and row.a + ceil(missing / policy.extra) or now
  end
  row.a = now
  return went_back
end

function token_bucket.wait(policy, row, now, cost)
  return cost > policy.limit and NEVER or ceil(max(0, cost * policy.window - row.b) / policy.extra)
end

function token_bucket.take(policy, row, now, cost)
  row.b = max(row.b - cost * policy.window, policy.limit * policy.window - MAX_SAFE)
end

function token_bucket.give_back(policy, row, at, amount)
  if at >= row.c then row.b = min(policy.limit * policy.window, row.b + amount * policy.window) end
end

function token_bucket.reset(policy, row, now)
  return ceil(max(0, policy.limit * policy.window - row.b) / policy.extra)
end

-- How much longer than it has to be a value is kept. Each charge moves its end: so most find an expiry that will do.
function token_bucket.slack(policy, reset_ms)
  return min(floor(policy.window / 4), reset_ms + 1000)
end
