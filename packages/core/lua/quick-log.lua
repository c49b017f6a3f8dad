-- One log of one subject. First what most calls on a busy one come to, for which no more than the row is read: nothing has
-- expired, and the charge joins the newest entry, or is refused until the oldest expires.
-- KEYS: value, list. ARGV: mode, not before, not after, cost, tag, limit, window.
-- Reply: now, LATE; or now, allowed, limit, wait, remaining, reset, next.
local now, argv, key, list = server_now(), ARGV, KEYS[1], KEYS[2]
if now < argv[2] + 0 or now > argv[3] + 0 then return { now, LATE } end

local mode, cost, tag, limit, window = argv[1], argv[4] + 0, argv[5] + 0, argv[6] + 0, argv[7] + 0
local value = redis.call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
if found == tag and not others and mode == ASK and cost > 0 and a <= now and d > now - window and d ~= FRESH then
  local next_ms = d + window - now
  local used = b + cost
  if used == limit + 1 and cost <= limit then
    if redis.call('PTTL', key) > 0 and redis.call('PTTL', list) > 0 then
      return { now, 0, limit, next_ms, limit - b, a + window - now, next_ms }
    end
  elseif used <= limit and used < WRAP and a == now then
    local newest = redis.call('LINDEX', list, -1)
    if newest then
      redis.call('LSET', list, -1, newest + cost)
      if used % 8 > 0 then
        redis.call('SET', key, cmsgpack.pack(tag, a, used, c, d, ends), 'KEEPTTL')
      else
        redis.call('SET', key, cmsgpack.pack(tag, a, used, c, d, ends), 'PX', window)
      end
      return { now, 1, limit, 0, limit - used, window, next_ms }
    end
  end
end
