-- Entries in a list, of which none has expired: the charge joins the newest, or is refused until the oldest expires. Or the
-- list is one block with room in it, of which few entries have expired, and gets another. A number that becomes an argument
-- has to be printed, which takes longer than most commands: so some are texts. One that is short now is left to the others,
-- which take it into the row.
if is_quick and type(c) == 'number' and d ~= FRESH and b > KEPT / 2 then
  local next_ms = d + window - now
  used = b
  if next_ms > 0 and used + cost == limit + 1 then
    if call('PTTL', key) > 0 and call('PTTL', list) > 0 then
      return cmsgpack.pack(ANSWER, now, next_ms, a, b, next_ms)
    end
  elseif next_ms > 0 and used + cost <= limit and used + cost < WRAP and a == now then
    local newest = call('LINDEX', list, '-1')
    if newest then
      call('LSET', list, '-1', newest + cost)
      fits = true
    end
  elseif a < now and (next_ms <= 0 or used + cost <= limit) then
    local start, is_live
    if next_ms > 0 then
      start = call('LINDEX', list, '0')
      is_live = start
    else
      local entries = call('LRANGE', list, 2 * c + 2, 2 * c + 2 * FEW + 1)
      for k = 1, #entries, 2 do
        local weight = entries[k + 1] + 0
        if weight > 0 then
          start = start or d - entries[k]
          local time = start + entries[k]
          if time > now - window then
            is_live, c, d = true, c + (k - 1) / 2, time
            break
          end
          used = used - weight
        end
      end
    end
    local after = used + cost
    if is_live and after <= limit and after < WRAP and (c + after < BLOCK or call('LLEN', list) < SPAN) then
      local length = call('RPUSH', list, now - start, cost == 1 and '1' or cost) - 2
      if length > 2 * c + 2 and length < SPAN then
        if c > 8 and 4 * c > length and now - start < 2147483648 then
          -- Mostly dead: the block begins anew with its oldest live entry, and counts from the same time, for as long as that
          -- keeps its numbers small.
          call('LTRIM', list, 2 * c + 2, -1)
          call('LPUSH', list, '0', start)
          c = 0
        end
        fits = true
      else
        -- It is not what the row says, or more than a block.
        call('RPOP', list, '2')
      end
    end
  end
end

if fits then
  used = used + cost
  if ends >= now + window and micros % 32 > 0 then
    -- The expiry stands, but for one charge in 32: a list or a value may have lost it, or come from a node whose clock is
    -- ahead.
    local packed = cmsgpack.pack(tag, now, used, c, d, ends)
    if #packed == #value then
      call('SETRANGE', key, '0', packed)
    else
      call('SET', key, packed, 'KEEPTTL')
    end
  else
    -- For longer than it has to be: then most charges find an expiry that will do.
    local life = window + math.floor(window / 4)
    if type(c) == 'number' then call('PEXPIRE', list, life) end
    call('SET', key, cmsgpack.pack(tag, now, used, c, d, now + life), 'PX', life)
  end
  return cmsgpack.pack(ANSWER, now, 0, now, used, d + window - now)
end
