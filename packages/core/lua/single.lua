-- One policy without a log of one subject: the common call, and the fast one. The row and the policy are no tables here:
-- `row.a` is the word `a`, `policy.limit` is `limit`, and `step.…(…)` gives way to what that function does. A script makes
-- all its tables and functions anew in each call, and that would be most of its work.
-- KEYS: value. ARGV: as a question: until, span, cost, tag, limit, window, and where they are not 0 extra and mode.
-- Reply, packed: ANSWER, now, LATE; or now, wait, a, b, c. It is allowed where the wait is 0.
--+ question
local cost, tag, limit, window = question[3], question[4], question[5], question[6]
local extra, mode = question[7], question[8]
local key = KEYS[1]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
--+ joining
local rows
if found ~= tag or others then
  a, b, c = FRESH, 0, 0
  if value then
    --+ rows
    rows = rows_of(value)
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
  local slack = step.slack(policy, reset_ms)
  local life = reset_ms + slack
  if ends and now + reset_ms <= ends and ends <= now + life and micros % 32 > 0 then
    -- The expiry stands. Not for ever: after a PERSIST by an operator, or a move from a node with another clock, it is put
    -- right by one charge in 32.
    local packed = cmsgpack.pack(tag, a, b, c, 0, ends)
    if #packed == #value then
      call('SETRANGE', key, '0', packed)
    else
      call('SET', key, packed, 'KEEPTTL')
    end
  else
    call('SET', key, cmsgpack.pack(tag, a, b, c, 0, now + life), 'PX', life > 0 and life or 1)
  end
elseif writes or (not allowed and mode ~= PEEK and call('PTTL', key) == -1) then
  --+ writing
  if writes then
    write_rows(key, { { tag = tag, a = a, b = b, c = c, d = 0, ends = now + reset_ms } }, rows, now)
  else
    heal_expiry(key, rows or { tag, a, b, c, 0, ends }, now)
  end
end

return cmsgpack.pack(ANSWER, now, wait_ms, a, b, c)
