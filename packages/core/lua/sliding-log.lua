-- Sliding log: `a` is the newest time, `b` what the live entries weigh, `c` the index of the oldest live one.
local sliding_log = {}

function sliding_log.advance(policy, row, now)
  local log = open_log(row)
  local head = row.c
  row.c = first_after(log, head, now - policy.window)
  row.b = row.b - weight_between(log, head, row.c)
  local newest = row.c < log.count and row.a or FRESH
  row.a = min(newest, now)
  return newest > now
end

function sliding_log.wait(policy, row, now, cost)
  if cost > policy.limit then return NEVER end
  local over = row.b + cost - policy.limit
  if over <= 0 then return 0 end
  return min(time_of(row.log, row.c, over), now) + policy.window - now
end

-- The list lives as long as its newest entry, and is read only through a row that lives as long.
local function keep_alive(policy, row, now)
  redis.call('PEXPIRE', row.key, max(1, row.a + policy.window - now))
end

function sliding_log.take(policy, row, now, cost)
  row.c = keep(row.log, row.c, now)
  local weight = min(cost, WRAP - 1 - row.b)
  if weight > 0 then
    push(row.log, row.a, now, weight)
    row.b = row.b + weight
    row.a = now
  end
  keep_alive(policy, row, now)
end

function sliding_log.give_back(policy, row, at, amount, now)
  row.c = keep(row.log, row.c, row.a)
  row.b = row.b - lighten(row.log, row.c, at, amount)
  row.a = newest_of(row.log, row.c)
  keep_alive(policy, row, now)
end

function sliding_log.remaining(policy, row, now)
  return max(0, policy.limit - row.b)
end

function sliding_log.reset(policy, row, now)
  return row.b > 0 and row.a + policy.window - now or 0
end
