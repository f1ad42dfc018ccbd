-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hours of the day that an importer reads, and a plan's windows that come of them.
--
-- A window here is { from, to, place } in minutes of a day, with what else holds then. What holds
-- is a table of columns with `windows`, each of which replaces columns in its time.

local hours = {}

local DAY = 1440

local function minutes(text)
  local hour, minute = (text or ""):match "^(%d+):?(%d*)$"
  local at = hour and tonumber(hour) * 60 + (tonumber(minute) or 0)
  return at and at <= DAY and (tonumber(minute) or 0) < 60 and math.tointeger(at) or nil
end

--- The window of an element whose attributes word.from and word.to are hours of a day; nil: they
--- are none, which fails.
function hours.read(element, word, with)
  local from, to = minutes(element.of[word.from]), minutes(element.of[word.to])
  if from and to and from < to then
    return { from = from, to = to, place = element.place }
  end
  with.fail(element.place, ("%s from %s to %s, allowed %s"):format(element.name,
    element.of[word.from] or "?", element.of[word.to] or "?", from and to
      and "an end after the begin: over midnight two, to 24 and from 0" or "hours from 0 to 24"))
end

--- Fails where windows of one consumer overlap.
function hours.check(windows, name, with)
  table.sort(windows, function (a, b) return a.from < b.from end)
  for i = 2, #windows do
    if windows[i].from < windows[i - 1].to then
      with.fail(windows[i].place, ("%s: this window begins before that of line %d ends"):format(
        name, windows[i - 1].place.line))
    end
  end
end

--- The columns that hold at a minute of the day.
function hours.at(columns, minute)
  local out = {}
  for key, value in pairs(columns) do out[key] = value end
  for _, window in ipairs(columns.windows or {}) do
    local now = window.from <= minute and minute < window.to
    for key, value in pairs(now and window or {}) do out[key] = value end
  end
  out.windows, out.from, out.to, out.place = nil, nil, nil, nil
  return out
end

--- The pieces of a day, { from, to }, between which windows begin or end, of tables of columns by
--- anything.
function hours.pieces(all)
  local edges, seen, out = { 0, DAY }, { [0] = true, [DAY] = true }, {}
  for _, columns in pairs(all) do
    for _, window in ipairs(columns.windows or {}) do
      for _, at in ipairs { window.from, window.to } do
        if not seen[at] then seen[at], edges[#edges + 1] = true, at end
      end
    end
  end
  table.sort(edges)
  for i = 2, #edges do out[i - 1] = { from = edges[i - 1], to = edges[i] } end
  return out
end

local function clock(minute)
  return ("%02d:%02d"):format(minute % DAY // 60, minute % 60)
end

--- The piece whose like hold the longest, the earliest of equals; and the others as windows, those
--- that are alike and follow each other as one, also over midnight. alike(one, other).
function hours.split(pieces, alike)
  local base, windows = nil, {}
  for _, piece in ipairs(pieces) do
    piece.length = 0
    for _, other in ipairs(pieces) do
      if alike(piece, other) then piece.length = piece.length + other.to - other.from end
    end
    if not base or piece.length > base.length then base = piece end
  end
  for _, piece in ipairs(pieces) do
    local last = windows[#windows]
    local own = alike(piece, base)
    if not own and last and last.to == piece.from and alike(last, piece) then
      last.to = piece.to
    elseif not own then
      windows[#windows + 1] = { from = piece.from, to = piece.to, columns = piece.columns }
    end
  end
  local first, last = windows[1], windows[#windows]
  if first ~= last and first.from == 0 and last.to == DAY and alike(first, last) then
    first.from = last.from
    windows[#windows] = nil
  end
  for _, window in ipairs(windows) do
    window.from, window.to = clock(window.from), clock(window.to)
  end
  return base, windows
end

return hours
