-- One log of one subject.
-- KEYS: value, list. ARGV: mode, not before, not after, cost, tag, limit, window.
-- Reply: now, LATE; or now, allowed, limit, wait, remaining, reset, next.
local now = server_now()
if now < tonumber(ARGV[2]) or now > tonumber(ARGV[3]) then return { now, LATE } end

local mode, cost = ARGV[1], tonumber(ARGV[4])
local policy = { limit = tonumber(ARGV[6]), window = tonumber(ARGV[7]) }
local rows = read_rows(KEYS[1])
local step, tag = sliding_log, tonumber(ARGV[5])
local row = load_row(rows, find_row(rows, tag, 1))
row.tag, row.key = tag, KEYS[2]

local went_back = step.advance(policy, row, now)
local wait = (cost == 0 or mode == FORCE) and 0 or step.wait(policy, row, now, cost)
local allowed = wait == 0
local write = mode ~= PEEK and (went_back or (allowed and cost > 0))
if write then step.take(policy, row, now, allowed and cost or 0) end

local remaining, reset = step.remaining(policy, row, now), step.reset(policy, row, now)
if write then
  row.ends = now + reset
  write_row(KEYS[1], row, rows, now)
elseif not allowed and mode ~= PEEK then
  for _, key in ipairs(KEYS) do heal_expiry(key, rows, now) end
end
local next_ms = next_after(step, policy, row, now, remaining)
return { now, allowed and 1 or 0, policy.limit, wait, remaining, reset, next_ms }
