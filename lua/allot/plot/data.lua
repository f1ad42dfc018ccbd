-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Names and series of a picture as gnuplot reads them.

local bins = require "allot.plot.bins"

local data = {}

-- ---- Text ---------------------------------------------------------------------------------------

--- The number of UTF-8 characters.
function data.letters(text)
  return select(2, text:gsub("[^\x80-\xBF]", ""))
end

--- The end of the character at `at`, if XML allows it; else nil.
local function character(text, at)
  if not utf8.len(text, at, at) then return nil end
  local code = utf8.codepoint(text, at)
  if code < 0x20 or (code >= 0x7F and code < 0xA0) or code & 0xFFFE == 0xFFFE then return nil end
  return at + #utf8.char(code) - 1
end

--- A text as gnuplot's string: in single quotes, in which it expands nothing but a doubled quote,
-- and with "?" for control characters and invalid UTF-8. Of a text above `most` letters only the
-- end, the most telling part of a path.
function data.quoted(text, most)
  local out, at, skip = { "'" }, 1, data.letters(text) - most
  if skip > 0 then
    out[1] = "'…"
    for _ = 0, skip do at = text:match("^.[\x80-\xBF]*()", at) or at end
  end
  while at <= #text do
    local to = character(text, at)
    local it = to and text:sub(at, to) or "?"
    out[#out + 1] = it == "'" and "''" or it
    at = (to or at) + 1
  end
  out[#out + 1] = "'"
  return table.concat(out)
end

-- ---- Series -------------------------------------------------------------------------------------

--- A step line: one value per bin, and bins of the same value are one step.
local function steps(picture, panel, out)
  local it, line = panel.bins, { from = 0 }
  function line.finish()
    if line.open then
      out[#out + 1] = ("%d %.6g\n%d %.6g\n"):format(line.from - picture.first, line.value,
        line.to - picture.first, line.value)
    end
    line.told, line.open = line.told or line.open, false
  end
  --- The mean of a bin with this sum of slot-seconds.
  function line.put(bin, sum)
    local seconds = it:seconds(bin)
    if seconds == 0 then return end
    local value, from = sum / seconds, math.max(it.origin + bin * it.width, it.first)
    if not line.open or value ~= line.value then
      line.finish()
      line.from, line.value, line.open = from, value, true
    end
    line.to = from + seconds
  end
  return line
end

local function put_row(picture, panel, row, out)
  local line = steps(picture, panel, out)
  for bin = 0, panel.bins.used - 1 do line.put(bin, panel.bins:at(row, bin)) end
  line.finish()
  if not line.told then out[#out + 1] = "0 0\n" end -- gnuplot rejects blocks without points
end

--- Where a band has slots: the sum of it and all below it, which are painted over it.
local function put_band(picture, panel, band, out)
  local line, start = steps(picture, panel, out), 0
  local function close()
    if not line.open then return end
    line.finish()
    out[#out + 1] = ("%d 0\n%d 0\n\n"):format(line.to - picture.first, start - picture.first)
  end
  for bin = 0, panel.bins.used - 1 do
    local sum, own = 0, 0
    for i = 1, band do
      own = panel.bands[i] and panel.bands[i][bin] or 0
      sum = bins.plus(sum, own)
    end
    local begins = own > 0 and not line.open
    if own > 0 then line.put(bin, sum) else close() end
    start = begins and line.from or start
  end
  close()
end

local function put_reclaims(picture, panel, out)
  local it = panel.bins
  out[#out + 1] = "0 0\n"
  for bin = 0, it.used - 1 do
    local slots = it:at("reclaimed", bin)
    local middle = it.origin and it.origin + bin * it.width + it.width // 2
    if slots > 0 then
      out[#out + 1] = ("%d %d\n"):format(math.min(middle, it.last) - picture.first, slots)
    end
  end
end

--- The series of a panel, as data blocks $band_I_0, ..., $wanted_I, $size_I, $reclaimed_I; only
-- bands with slots.
function data.put(picture, index, out)
  local panel = picture.panels[index]
  local function block(name, put, row)
    out[#out + 1] = ("$%s << END\n"):format(name)
    put(picture, panel, row, out)
    out[#out + 1] = "END\n"
  end
  for band = 1, picture.bands do
    if panel.bands[band] then block(("band_%d_%d"):format(index - 1, band - 1), put_band, band) end
  end
  block("wanted_" .. index - 1, put_row, "wanted")
  block("size_" .. index - 1, put_row, "size")
  block("reclaimed_" .. index - 1, function (_, _, _, to) put_reclaims(picture, panel, to) end)
end

return data
