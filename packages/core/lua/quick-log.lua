-- One log of one subject. First what most calls come to, without the tables and functions of the others. Nothing is known of
-- it, or all has expired. Or nothing has, and the charge joins the newest entry, or is refused until the oldest expires:
-- then no more than the row is read. Or the log is one block with room in it, of which few entries have expired, and gets
-- another. A number that becomes an argument has to be printed, which takes longer than most commands: so some are texts.
-- KEYS: value, list. ARGV: as a question: span, cost, tag, limit, window, 0, and where it is not 0 mode.
-- Reply, packed: now, LATE; or now, wait, a, b, next. It is allowed where the wait is 0.
local key, list = KEYS[1], KEYS[2]
local cost, tag, limit, window, mode = question[2], question[3], question[4], question[5], question[7]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
local is_quick = found == tag and not others
local printed = cost == 1 and '1' or cost
if mode or cost == 0 or cost > limit or cost >= WRAP then
  is_quick = false
elseif not value or (is_quick and a <= now - window) then
  if call('RPUSH', list, now, '0', '0', printed) > 4 then
    -- It was there still.
    call('DEL', list)
    call('RPUSH', list, now, '0', '0', printed)
  end
  local life = tostring(window)
  call('PEXPIRE', list, life)
  call('SET', key, cmsgpack.pack(tag, now, cost, 0, now, now + window), 'PX', life)
  return cmsgpack.pack(now, 0, now, cost, window)
end
if is_quick and a <= now and d ~= FRESH then
  local next_ms = d + window - now
  local used = b + cost
  if next_ms > 0 and used == limit + 1 then
    if call('PTTL', key) > 0 and call('PTTL', list) > 0 then
      return cmsgpack.pack(now, next_ms, a, b, next_ms)
    end
  elseif next_ms > 0 and used <= limit and used < WRAP and a == now then
    local newest = call('LINDEX', list, '-1')
    if newest then
      call('LSET', list, '-1', newest + cost)
      if micros % 32 > 0 then
        call('SET', key, cmsgpack.pack(tag, a, used, c, d, ends), 'KEEPTTL')
      else
        call('PEXPIRE', list, window)
        call('SET', key, cmsgpack.pack(tag, a, used, c, d, now + window), 'PX', window)
      end
      return cmsgpack.pack(now, 0, a, used, next_ms)
    end
  elseif a < now and (next_ms <= 0 or used <= limit) then
    local start, fits
    if next_ms > 0 then
      start = call('LINDEX', list, '0')
      fits = start
    else
      local entries = call('LRANGE', list, 2 * c + 2, 2 * c + 2 * FEW + 1)
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
    if fits and used <= limit and used < WRAP and (c + used < BLOCK or call('LLEN', list) < SPAN) then
      local length = call('RPUSH', list, now - start, printed) - 2
      if length > 2 * c + 2 and length < SPAN then
        if c > 8 and 4 * c > length and now - start < 2147483648 then
          -- Mostly dead: the block begins anew with its oldest live entry, and counts from the same time, for as long as that
          -- keeps its numbers small.
          call('LTRIM', list, 2 * c + 2, -1)
          call('LPUSH', list, '0', start)
          c = 0
        end
        if ends >= now + window and micros % 32 > 0 then
          -- The expiry stands, but for one charge in 32: a list or a value may have lost it, or come from a node whose clock
          -- is ahead.
          local packed = cmsgpack.pack(tag, now, used, c, d, ends)
          if #packed == #value then
            call('SETRANGE', key, '0', packed)
          else
            call('SET', key, packed, 'KEEPTTL')
          end
        else
          -- For longer than it has to be: then most charges find an expiry that will do.
          local life = window + math.floor(window / 4)
          call('PEXPIRE', list, life)
          call('SET', key, cmsgpack.pack(tag, now, used, c, d, now + life), 'PX', life)
        end
        return cmsgpack.pack(now, 0, now, used, d + window - now)
      end
      -- It is not what the row says, or more than a block.
      call('RPOP', list, '2')
    end
  end
end
