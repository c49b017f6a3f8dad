-- A charge that joins others changes nothing but `b`. Packed, that has its place behind 5 bytes of a tag and 9 of a time, and
-- 11 behind it while `c` is small: where it takes as much room as it did, it alone is written. The expiry stands, but for
-- one charge in 32: which, the clock says.
if found == tag and not others and not mode and cost > 0 and b > 0 and micros % 32 > 0 and c < 128 then
  local joins = step.joins(policy, row, now, cost)
  if joins then
    local packed = cmsgpack.pack(b + cost)
    if #value == 25 + #packed then
      call('SETRANGE', key, '14', packed)
      return cmsgpack.pack(ANSWER, now, 0, a, b + cost, c)
    end
  end
end
