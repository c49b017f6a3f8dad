-- Writes the value that holds a subject's rows (see `rows`), and its expiry.

-- Ours first, then those carried. A value always gets its expiry with it: no key can lack one.
local function write_rows(key, ours, rows, now)
  local out, last, own = {}, now + 1, {}
  for _, row in ipairs(ours) do
    own[row.tag] = true
    for _, number in ipairs({ row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends }) do out[#out + 1] = number end
    last = math.max(last, row.ends)
  end
  for at = 1, #rows, WIDTH do
    local ends = rows[at + WIDTH - 1]
    if ends > now and not own[rows[at]] and #out < MAX_ROWS * WIDTH then
      for i = at, at + WIDTH - 1 do out[#out + 1] = rows[i] end
      last = math.max(last, ends)
    end
  end
  call('SET', key, cmsgpack.pack(unpack(out)), 'PX', last - now)
end

-- The same where nothing has to be carried, which is the common case.
local function write_row(key, row, rows, now)
  if #rows > WIDTH or (rows[1] and rows[1] ~= row.tag) then return write_rows(key, { row }, rows, now) end
  call('SET', key, cmsgpack.pack(row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends), 'PX', math.max(1, row.ends - now))
end

-- A refusal writes nothing, but a key that has lost its expiry gets one again, for as long as a row says anything.
local function heal_expiry(key, rows, now)
  if call('PTTL', key) ~= -1 then return end
  local last = now + 1
  for at = WIDTH, #rows, WIDTH do last = math.max(last, rows[at]) end
  call('PEXPIRE', key, last - now)
end
