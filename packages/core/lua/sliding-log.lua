-- Sliding log: `a` is the newest time, `b` what the live entries weigh, `c` the index of the oldest live one, and `d` the time
-- of the oldest that weighs something: until it expires the list need not be read. FRESH where that is not known.
local sliding_log = {}

function sliding_log.advance(policy, row, now)
  local log, expired = open_log(row), now - policy.window
  if (row.d == FRESH or row.d <= expired) and not drop_few(log, row, expired) then
    local head = row.c
    row.c = first_after(log, head, expired)
    row.b = row.b - weight_between(log, head, row.c)
    row.d = row.b > 0 and time_of(log, row.c, 1) or FRESH
  end
  local newest = row.c < log.count and row.a or FRESH
  log.went_back = newest > now
  row.a, row.d = min(newest, now), min(row.d, now)
  return log.went_back
end

function sliding_log.wait(policy, row, now, cost)
  if cost > policy.limit then return NEVER end
  local over = row.b + cost - policy.limit
  if over <= 0 then return 0 end
  local time = over == 1 and row.d or time_of(row.log, row.c, over)
  return min(time, now) + policy.window - now
end

-- Of a list that has become short its live entries come into the row.
local function take_in(row)
  local log = row.log
  local items = { number_at(log, 0), 0 }
  for i, number in ipairs(on_list(log, 'LRANGE', place_of(row.c), -1)) do items[i + 2] = tonumber(number) end
  call('DEL', row.key)
  log.items, log.count, row.c = items, log.count - row.c, 0
end

-- Few entries are saved in the row. A list lives as long as its newest entry at least, and is read only through a row that
-- lives as long.
local function save(policy, row, now)
  local log = row.log
  row.kept = nil
  if not log.items and log.count - row.c <= KEPT / 2 and log.count <= BLOCK then take_in(row) end
  if log.items and log.count - row.c <= KEPT and log.count <= BLOCK then
    if log.count > row.c then
      row.kept = cmsgpack.pack(log.items[1], log.items[2], unpack(log.items, place_of(row.c) + 1))
    end
    return
  end
  if log.items then
    call('DEL', row.key)
    call('RPUSH', row.key, unpack(log.items))
    log.items = nil
  end
  call('PEXPIRE', row.key, max(1, row.a + policy.window - now))
end

function sliding_log.take(policy, row, now, cost)
  row.c = keep(row.log, row.c, now)
  local weight = min(cost, WRAP - 1 - row.b)
  local is_merged = row.a == now and not row.log.went_back
  if weight > 0 then
    push(row.log, row.a, now, weight)
    row.b = row.b + weight
    row.a = now
    if row.d == FRESH then row.d = now end
  end
  if row.log.items or not is_merged then save(policy, row, now) end
end

function sliding_log.give_back(policy, row, at, amount, now)
  row.c = keep(row.log, row.c, row.a)
  row.b = row.b - lighten(row.log, row.c, at, amount)
  row.a, row.d = newest_of(row.log, row.c), FRESH
  save(policy, row, now)
end

-- Milliseconds until one more passes than does now; 0 where the whole limit does.
function sliding_log.next(policy, row, now)
  local remaining = max(0, policy.limit - row.b)
  return remaining < policy.limit and sliding_log.wait(policy, row, now, remaining + 1) or 0
end

function sliding_log.reset(policy, row, now)
  return row.b > 0 and row.a + policy.window - now or 0
end
