-- One log of one subject. First what most calls come to, without the tables and functions of the others. Nothing is known of
-- it, or all has expired. Or its entries stand in the row (as in `log-entries`), and one more does too, or is refused. Or they
-- are a list, as in `quick-list`.
-- KEYS: value, list. ARGV: as a question: until, span, cost, tag, limit, window, 0, and where it is not 0 mode.
-- Reply, packed: ANSWER, now, LATE; or now, wait, a, b, next. It is allowed where the wait is 0.
local key, list = KEYS[1], KEYS[2]
local cost, tag, limit, window, mode = question[3], question[4], question[5], question[6], question[8]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
local is_ours = found == tag and not others and a <= now
local is_quick = not mode and cost > 0 and cost <= limit and cost < WRAP and (is_ours or not value)
if is_quick and (not value or a <= now - window) then
  local entries = cmsgpack.pack(now, 0, 0, cost)
  call('SET', key, cmsgpack.pack(tag, now, cost, entries, now, now + window), 'PX', window)
  return cmsgpack.pack(ANSWER, now, 0, now, cost, window)
end
local used, fits
if is_quick and type(c) == 'string' then
  local items = { cmsgpack.unpack(c) }
  local count, first, start = #items, 3, items[1]
  used = b
  while items[first + 1] == 0 or start + items[first] <= now - window do
    used = used - items[first + 1]
    first = first + 2
  end
  local over = used + cost - limit
  if over > 0 then
    -- Until so much has expired; and until one more passes, which may be more than one where the limit was lowered.
    local last, gone, next_at = first, items[first + 1], nil
    local one_more = used < limit and 1 or used + 1 - limit
    while gone < over do
      if not next_at and gone >= one_more then next_at = items[last] end
      last = last + 2
      gone = gone + items[last + 1]
    end
    if call('PTTL', key) > 0 then
      local passes = start + window - now
      return cmsgpack.pack(ANSWER, now, items[last] + passes, a, used, (next_at or items[last]) + passes)
    end
  elseif used + cost < WRAP and (a == now or count - first < 2 * KEPT - 1) then
    if a == now then
      items[count] = items[count] + cost
    else
      items[count + 1], items[count + 2] = now - start, cost
      count = count + 2
    end
    local shift = items[first]
    if shift ~= 0 then
      -- They count from the oldest, which keeps them small.
      for i = first, count, 2 do items[i] = items[i] - shift end
    end
    d = start + shift
    c = cmsgpack.pack(d, items[2], unpack(items, first, count))
    fits = true
  end
end
