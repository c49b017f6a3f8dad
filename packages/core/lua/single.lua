-- One policy without a log of one subject: the common call, and the fast one. The row and the policy are no tables here:
-- `row.a` is the word `a`, `policy.limit` is `limit`, and `step.…(…)` gives way to what that function does. A script makes
-- all its tables and functions anew in each call, and that would be most of its work.
-- KEYS: value. ARGV: mode, not before, not after, cost, tag, limit, window, extra.
-- Reply: now, LATE; or now, allowed, wait, a, b, c.
local argv = ARGV
if now < argv[2] + 0 or now > argv[3] + 0 then return { now, LATE } end

local mode, cost, tag = argv[1], argv[4] + 0, argv[5] + 0
local limit, window, extra = argv[6] + 0, argv[7] + 0, argv[8]
local key = KEYS[1]
local value = redis.call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
--+ joining
local rows
if found ~= tag or others then
  a, b, c = FRESH, 0, 0
  if value then
    rows = { cmsgpack.unpack(value) }
    for at = 1, #rows, WIDTH do
      if rows[at] == tag then a, b, c = rows[at + 1], rows[at + 2], rows[at + 3] end
    end
  end
end

local moved = step.advance(policy, row, now)
local wait_ms = 0
if cost > 0 and mode ~= FORCE then
  wait_ms = step.wait(policy, row, now, cost)
end
local allowed = wait_ms == 0
local writes = mode ~= PEEK and (moved or (allowed and cost > 0))
if writes then
  step.take(policy, row, now, allowed and cost or 0)
end

local reset_ms = step.reset(policy, row, now)
if writes and not rows then
  local last = now + reset_ms
  if last == ends and b % 32 > 0 then
    -- The expiry stands. Not for ever: after a PERSIST by an operator, or a move from a node with another clock, it is put
    -- right at the latest with the next window, mostly within 32 charges of 1.
    redis.call('SET', key, cmsgpack.pack(tag, a, b, c, 0, last), 'KEEPTTL')
  else
    redis.call('SET', key, cmsgpack.pack(tag, a, b, c, 0, last), 'PX', reset_ms > 0 and reset_ms or 1)
  end
elseif writes or (not allowed and mode ~= PEEK and redis.call('PTTL', key) == -1) then
  --+ prelude
  if writes then
    write_rows(key, { { tag = tag, a = a, b = b, c = c, d = 0, ends = now + reset_ms } }, rows, now)
  else
    heal_expiry(key, rows or { tag, a, b, c, 0, ends }, now)
  end
end

return { now, allowed and 1 or 0, wait_ms, a, b, c }
