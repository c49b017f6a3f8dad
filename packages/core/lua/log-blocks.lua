-- Entries of a block of a sliding log, and numbers that it takes in the list with the pair that leads it.
local BLOCK = 256
local SPAN = 2 * BLOCK + 2
-- So many entries are looked at first: mostly few have expired.
local FEW = 4
-- So many at most stand in the row, which is no more than a block.
local KEPT = 12
