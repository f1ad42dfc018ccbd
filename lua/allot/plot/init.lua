-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Simulations as a picture: events are read, summed into bins and drawn by gnuplot.
--
-- host.read("series") returns parts of lines until an empty one. A line is a number for its
-- kind, and numbers: 0 consumers (the next simulation begins), 1 at group slots, 2 at group
-- consumer demand allocated reclaimed, 3 at (windows switch), 4 at (the simulation ends), and
-- 5 consumer, followed by its path.

local bins = require "allot.plot.bins"
local script = require "allot.plot.script"

local plot = {}

local BANDS = 9 -- consumers with a band of their own; those with fewer slot-seconds share one

-- ---- What happened ------------------------------------------------------------------------------

local function begin(picture, consumers)
  local panel = {
    title = picture.titles[#picture.panels + 1], bins = bins.new(consumers + 3, picture.bins),
    names = {}, of = {}, rows = {}, switches = {}, sizes = {}, held = {}, demand = {},
    together = {}, wanted = 0, size = 0,
  }
  picture.panels[#picture.panels + 1] = panel
  return panel
end

local function take_size(panel, at, group, slots)
  panel.size = panel.size + slots - (panel.sizes[group] or 0)
  panel.sizes[group] = slots
  panel.bins:level("size", at, panel.size)
end

local function take_sample(panel, at, group, consumer, demand, allocated, reclaimed)
  local held = panel.held[group] or {}
  local wanted = panel.demand[group] or {}
  panel.held[group], panel.demand[group] = held, wanted
  panel.wanted = panel.wanted + demand - (wanted[consumer] or 0)
  local row = panel.of[consumer]
  panel.together[row] = (panel.together[row] or 0) + allocated - (held[consumer] or 0)
  held[consumer], wanted[consumer] = allocated, demand
  panel.bins:level(row, at, panel.together[row])
  panel.bins:level("wanted", at, panel.wanted)
  panel.bins:add("reclaimed", at, reclaimed)
end

--- The consumers of a panel that held slots, most slot-seconds first, as { name, sum }.
local function ranked(sums)
  local list = {}
  for name, sum in pairs(sums) do list[#list + 1] = { name, sum } end
  table.sort(list, function (a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  return list
end

local function finish(panel, at)
  panel.bins:finish(at)
  panel.sums = {}
  for consumer, name in pairs(panel.names) do
    local sum = panel.bins:sum(consumer)
    if sum > 0 then panel.sums[name] = sum else panel.names[consumer] = nil end
  end
  panel.held, panel.demand, panel.together = nil, nil, nil
end

--- A consumer's row is that of its branch of the first level, unless all have rows of their own.
local function take_name(picture, panel, consumer, path)
  local name = picture.all and path or path:match "^/[^/]*" or path
  panel.rows[name] = panel.rows[name] or consumer
  panel.of[consumer], panel.names[panel.rows[name]] = panel.rows[name], name
end

local function take(picture, panel, kind, rest)
  local a, b, c, d, e, f = rest:match "^ (%-?%d+) ?(%-?%d*) ?(%-?%d*) ?(%-?%d*) ?(%-?%d*) ?(%-?%d*)"
  if kind == "0" then return begin(picture, tonumber(a)) end
  if kind == "1" then take_size(panel, tonumber(a), b, tonumber(c)) end
  if kind == "2" then
    take_sample(panel, tonumber(a), b, tonumber(c), tonumber(d), tonumber(e), tonumber(f))
  end
  if kind == "3" then panel.switches[#panel.switches + 1] = tonumber(a) end
  if kind == "4" then finish(panel, tonumber(a)) end
  if kind == "5" then take_name(picture, panel, tonumber(a), rest:match "^ %d+ (.*)$") end
  return panel
end

local function read(host, picture)
  local rest, panel = "", nil
  repeat
    local piece = host.read "series"
    local text = rest .. piece
    local whole = text:match "^.*\n()" or 1
    for kind, line in text:sub(1, whole - 1):gmatch "(%d)([^\n]*)\n" do
      panel = take(picture, panel, kind, line)
    end
    rest = text:sub(whole)
  until piece == ""
end

-- ---- Whose slots get a band ---------------------------------------------------------------------

--- Gives all panels the same axes.
local function align(picture)
  local width = 1
  for _, panel in ipairs(picture.panels) do width = math.max(width, panel.bins.width) end
  for _, panel in ipairs(picture.panels) do
    local it = panel.bins
    it:widen(width)
    if it.first then
      picture.first = math.min(picture.first or it.first, it.first)
      picture.last = math.max(picture.last or it.last, it.last)
    end
  end
  picture.width, picture.first = width, picture.first or 0
  picture.last = math.max(picture.last or 0, picture.first + 1)
end

--- Bands for the first by slot-seconds in each panel, then the second in each, ...: plans may name
-- other consumers. Bands are ordered by all panels' sums, bottom up; the last is for all others.
local function pick(picture)
  local all, chosen, count, own = {}, {}, 0, {}
  for _, panel in ipairs(picture.panels) do
    panel.ranked = ranked(panel.sums)
    for name, sum in pairs(panel.sums) do all[name] = bins.plus(all[name] or 0, sum) end
  end
  for rank = 1, BANDS do
    for _, panel in ipairs(picture.panels) do
      local name = panel.ranked[rank] and panel.ranked[rank][1]
      if name and not chosen[name] and count < BANDS then chosen[name], count = true, count + 1 end
    end
  end
  local list = ranked(all)
  for _, it in ipairs(list) do
    if chosen[it[1]] then own[#own + 1] = it[1] end
  end
  picture.names, picture.others = own, #list - #own
  picture.bands = #own + (picture.others > 0 and 1 or 0)
end

--- Slot-seconds by band and bin.
local function fill(picture, panel)
  local band_of = {}
  for band, name in ipairs(picture.names) do band_of[name] = band end
  panel.bands = {}
  for consumer, name in pairs(panel.names) do
    local band = band_of[name] or picture.bands
    local sums = panel.bands[band] or {}
    panel.bands[band] = sums
    for bin, sum in pairs(panel.bins.cells[consumer]) do
      sums[bin] = bins.plus(sums[bin] or 0, sum)
    end
  end
end

--- Arguments: the picture's title, "svg" or "png", the bins at most, "all" (a band may be any
--- consumer's) or "first" (one of the first level), and the simulations' names.
function plot.draw(host, arguments)
  local picture = { title = arguments[1], kind = arguments[2], bins = tonumber(arguments[3]),
                    all = arguments[4] == "all", panels = {},
                    titles = table.move(arguments, 5, #arguments, 1, {}) }
  read(host, picture)
  align(picture)
  pick(picture)
  for _, panel in ipairs(picture.panels) do fill(picture, panel) end
  host.out(script(picture))
end

return plot
