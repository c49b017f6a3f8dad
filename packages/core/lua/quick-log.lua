-- One log of one subject. First what most calls come to, without the tables and functions of the others. Nothing is known of
-- it, or all has expired. Or nothing has, and the charge joins the newest entry, or is refused until the oldest expires:
-- then no more than the row is read. Or the log is one block with room in it, of which few entries have expired, and gets
-- another. A number that becomes an argument has to be printed, which takes longer than most commands: so some are texts.
-- KEYS: value, list. ARGV: mode, not before, not after, cost, tag, limit, window.
-- Reply: now, LATE; or now, allowed, wait, a, b, next.
local argv, key, list = ARGV, KEYS[1], KEYS[2]
if now < argv[2] + 0 or now > argv[3] + 0 then return { now, LATE } end

local mode, cost, tag, limit, window = argv[1], argv[4] + 0, argv[5] + 0, argv[6] + 0, argv[7] + 0
local value = redis.call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
local is_quick = found == tag and not others
if mode ~= ASK or cost == 0 or cost > limit or cost >= WRAP then
  is_quick = false
elseif not value or (is_quick and a <= now - window) then
  if redis.call('RPUSH', list, now, '0', '0', argv[4]) > 4 then
    -- It was there still.
    redis.call('DEL', list)
    redis.call('RPUSH', list, now, '0', '0', argv[4])
  end
  redis.call('PEXPIRE', list, argv[7])
  redis.call('SET', key, cmsgpack.pack(tag, now, cost, 0, now, now + window), 'PX', argv[7])
  return { now, 1, 0, now, cost, window }
end
if is_quick and a <= now and d ~= FRESH then
  local next_ms = d + window - now
  local used = b + cost
  if next_ms > 0 and used == limit + 1 then
    if redis.call('PTTL', key) > 0 and redis.call('PTTL', list) > 0 then
      return { now, 0, next_ms, a, b, next_ms }
    end
  elseif next_ms > 0 and used <= limit and used < WRAP and a == now then
    local newest = redis.call('LINDEX', list, '-1')
    if newest then
      redis.call('LSET', list, '-1', newest + cost)
      if used % 32 > 0 then
        redis.call('SET', key, cmsgpack.pack(tag, a, used, c, d, ends), 'KEEPTTL')
      else
        redis.call('SET', key, cmsgpack.pack(tag, a, used, c, d, now + window), 'PX', argv[7])
      end
      return { now, 1, 0, a, used, next_ms }
    end
  elseif a < now and (next_ms <= 0 or used <= limit) then
    local start, fits
    if next_ms > 0 then
      start = redis.call('LINDEX', list, '0')
      fits = start
    else
      local entries = redis.call('LRANGE', list, 2 * c + 2, 2 * c + 2 * FEW + 1)
      for k = 1, #entries, 2 do
        local weight = entries[k + 1] + 0
        if weight > 0 then
          start = start or d - entries[k]
          local time = start + entries[k]
          if time > now - window then
            fits, c, d = true, c + (k - 1) / 2, time
            break
          end
          used = used - weight
        end
      end
    end
    if fits and used <= limit and used < WRAP then
      local length = redis.call('RPUSH', list, now - start, argv[4]) - 2
      if length > 2 * c + 2 and length < SPAN then
        if c > 8 and 4 * c > length and now - start < 2147483648 then
          -- Mostly dead: the block begins anew with its oldest live entry, and counts from the same time, for as long as that
          -- keeps its numbers small.
          redis.call('LTRIM', list, 2 * c + 2, -1)
          redis.call('LPUSH', list, '0', start)
          c = 0
        end
        if ends >= now + window then
          local packed = cmsgpack.pack(tag, now, used, c, d, ends)
          if #packed == #value then
            redis.call('SETRANGE', key, '0', packed)
          else
            redis.call('SET', key, packed, 'KEEPTTL')
          end
        else
          -- For longer than it has to be: then most charges find an expiry that will do.
          local life = window + math.floor(window / 4)
          redis.call('PEXPIRE', list, life)
          redis.call('SET', key, cmsgpack.pack(tag, now, used, c, d, now + life), 'PX', life)
        end
        return { now, 1, 0, now, used, d + window - now }
      end
      -- It is not what the row says, or more than a block.
      redis.call('RPOP', list, '2')
    end
  end
end
