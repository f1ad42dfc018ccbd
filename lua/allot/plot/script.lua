-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A picture as a script for gnuplot.

local axis = require "allot.plot.axis"
local bins = require "allot.plot.bins"
local data = require "allot.plot.data"

-- Tol's muted colours in an order in which neighbours also differ by lightness, at least 2:1.
local COLORS = { "#332288", "#cc6677", "#ddcc77", "#aa4499", "#88ccee", "#117733", "#44aa99",
                 "#882255", "#999933" }
local OTHERS, WANTED = "#dddddd", "#d55e00"
-- Pixels of an SVG.
local WIDTH, LEFT, ABOVE, TITLE, STRIP, GAP, BELOW = 760, 70, 34, 26, 36, 15, 56
local LETTER, NAME_LENGTH = 7, 34
local SWITCHES = 64 -- more lines than this are not drawn

local STYLES = [[
set multiplot
set style line 1 lc rgb '#000000' lw 1.6
set style line 2 lc rgb '#d55e00' lw 1
set style line 3 lc rgb '#333333' lw 1.2
set style line 4 lc rgb '#444444' lw 0.8 dt (2,3)
set style line 5 lc rgb '#ffffff' lw 0.4
set border 3 lc rgb '#444444'
]]

local function name_of(picture, band)
  if band <= #picture.names then return data.quoted(picture.names[band], NAME_LENGTH) end
  return ("'%d other%s'"):format(picture.others, picture.others > 1 and "s" or "")
end

local function color_of(picture, band)
  return band <= #picture.names and COLORS[band] or OTHERS
end

-- ---- Layout -------------------------------------------------------------------------------------

local function mean_up(sum, seconds)
  return seconds > 0 and sum // seconds + (sum % seconds ~= 0 and 1 or 0) or 0
end

--- The highest mean of a row; for reclaimed slots the highest sum.
local function most_of(panel, row)
  local most = 0
  for bin = 0, panel.bins.used - 1 do
    local seconds = row == "reclaimed" and 1 or panel.bins:seconds(bin)
    most = math.max(most, mean_up(panel.bins:at(row, bin), seconds))
  end
  return most
end

local function held_of(panel)
  local most = 0
  for bin = 0, panel.bins.used - 1 do
    local sum = 0
    for _, sums in pairs(panel.bands) do sum = bins.plus(sum, sums[bin] or 0) end
    most = math.max(most, mean_up(sum, panel.bins:seconds(bin)))
  end
  return most
end

--- Demand may be a hundred times the slots, which would then be too small to see: such
-- an axis ends above the slots, and says so.
local function arrange(picture)
  local at, wanted, longest = { most = 1, reclaimed = 0 }, 0, 22
  for _, panel in ipairs(picture.panels) do
    at.most = math.max(at.most, most_of(panel, "size"), held_of(panel))
    wanted = math.max(wanted, most_of(panel, "wanted"))
    at.reclaimed = math.max(at.reclaimed, most_of(panel, "reclaimed"))
  end
  at.cut = wanted // 2 > at.most
  if not at.cut then at.most = math.max(at.most, wanted) end
  for _, name in ipairs(picture.names) do longest = math.max(longest, data.letters(name)) end
  at.panel = #picture.panels == 1 and 300 or 180
  local letter = picture.kind == "png" and LETTER * 5 // 4 or LETTER -- pixels want larger fonts
  at.width = LEFT + WIDTH + math.min(longest, NAME_LENGTH) * letter + 56
  at.height = ABOVE + #picture.panels * (TITLE + at.panel + GAP + STRIP) + BELOW
  return at
end

-- ---- Parts --------------------------------------------------------------------------------------

local function printer(out)
  return function (format, ...) out[#out + 1] = format:format(...) end
end

local function put_head(picture, at, out)
  local put, times = printer(out), picture.kind == "png" and 1.6 or 1
  put("set terminal %s size %.0f,%.0f noenhanced font 'sans-serif,12' %sbackground '#ffffff'\n",
    picture.kind == "png" and "pngcairo" or "svg", at.width * times, at.height * times,
    picture.kind == "png" and "fontscale 1.3 linewidth 1.6 " or "")
  put "set encoding utf8\n"
  for index in ipairs(picture.panels) do data.put(picture, index, out) end
  out[#out + 1] = STYLES
  put("set lmargin at screen %.6f\nset rmargin at screen %.6f\n", LEFT / at.width,
    (LEFT + WIDTH) / at.width)
  put("set xrange [0:%d]\n", picture.last - picture.first)
end

local function put_ticks(picture, labels, put)
  local list = {}
  for i, tick in ipairs(axis.ticks(picture.first, picture.last)) do
    list[i] = ("'%s' %d"):format(labels and tick[2] or "", tick[1] - picture.first)
  end
  put("set xtics nomirror out scale 0.6 (%s)\n", table.concat(list, ", "))
end

--- Pixels from the top; gnuplot counts from the bottom.
local function put_margins(at, top, bottom, put)
  put("set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1 - top / at.height,
    1 - bottom / at.height)
end

--- Drawn once, with the picture's title: with every panel it would be drawn twice.
local function put_legend(picture, at, put)
  local switches = false
  for _, panel in ipairs(picture.panels) do switches = switches or #panel.switches > 0 end
  put("set label 2 %s at screen %.6f, screen %.6f left font ',15'\n",
    data.quoted(picture.title, 110), LEFT / at.width, 1 - 20 / at.height)
  put_margins(at, 0, at.height, put) -- the key gets columns if it does not fit
  put("set key at screen %.6f, screen %.6f left top Left reverse vertical maxcols 1 samplen 2 "
    .. "spacing 1.25 width 0 noenhanced\n", (LEFT + WIDTH + 12) / at.width,
    1 - (ABOVE + TITLE - 6) / at.height)
  put("set yrange [0:1]\nset border 0\nunset xtics\nunset ytics\nplot NaN notitle, \\\n"
    .. "  keyentry with lines ls 1 title 'slots there are', \\\n"
    .. "  keyentry with lines ls 2 title 'slots wanted', \\\n")
  for band = picture.bands, 1, -1 do
    put("  keyentry with boxes fs solid 1 noborder fc rgb '%s' title %s, \\\n",
      color_of(picture, band), name_of(picture, band))
  end
  if switches then put "  keyentry with lines ls 4 title 'windows switch', \\\n" end
  put("  keyentry with lines ls 3 title '%s'\nunset key\nunset label 2\nset border 3\n",
    at.reclaimed > 0 and "slots reclaimed in " .. axis.duration(picture.width)
    or "nothing is reclaimed")
end

--- Titles: browsers show them under the mouse.
local function put_bands(picture, index, put)
  for band = picture.bands, 1, -1 do
    if picture.panels[index].bands[band] then
      local name = name_of(picture, band)
      put("  $band_%d_%d with filledcurves closed fs solid 1 noborder fc rgb '%s' title %s, \\\n",
        index - 1, band - 1, color_of(picture, band), name)
      put("  $band_%d_%d with lines ls 5 title %s, \\\n", index - 1, band - 1, name)
    end
  end
end

local function put_panel(picture, at, index, put)
  local panel = picture.panels[index]
  local top = ABOVE + TITLE + (index - 1) * (TITLE + at.panel + GAP + STRIP)
  put_margins(at, top, top + at.panel, put)
  put("set label 1 %s at graph 0, graph 1 left offset 0,0.7 font ',13'\n"
    .. "set ylabel 'slots (means of %s)' offset 0.5,0\nset yrange [0:%.6g]\n"
    .. "set ytics nomirror out scale 0.6 %d\nset format y '%%.0f'\n",
    data.quoted(panel.title, 100), axis.duration(picture.width), at.most * 1.08,
    axis.step(at.most))
  put_ticks(picture, false, put)
  for i = 1, math.min(#panel.switches, SWITCHES) do
    local x = panel.switches[i] - picture.first
    put("set arrow from %d, graph 0 to %d, graph 1 nohead front ls 4\n", x, x)
  end
  local wanted = most_of(panel, "wanted")
  if at.cut and wanted > at.most * 1.08 then
    put("set label 3 'up to %d wanted' at graph 1, graph 1 right offset 0,0.6 textcolor rgb '%s'\n",
      wanted, WANTED)
  end
  put "plot \\\n"
  put_bands(picture, index, put)
  put("  $wanted_%d with lines ls 2 title 'slots wanted', \\\n"
    .. "  $size_%d with lines ls 1 title 'slots there are'\n", index - 1, index - 1)
  put "unset label 1\nunset label 3\nunset arrow\n"
end

--- Below a panel: reclaimed slots, a tick for each bin with its sum as height.
local function put_strip(picture, at, index, put)
  local top = ABOVE + (index - 1) * (TITLE + at.panel + GAP + STRIP) + TITLE + at.panel + GAP
  local last, most = index == #picture.panels, math.max(at.reclaimed, 1)
  put_margins(at, top, top + STRIP, put)
  put("unset ylabel\nset yrange [0:%d]\nset ytics nomirror out scale 0.6 (%d)\n", most, most)
  put_ticks(picture, last, put)
  if last then
    put("set xlabel %s\n", data.quoted(axis.title(picture.first, picture.last), 96))
  end
  put("plot $reclaimed_%d with impulses ls 3 title 'slots reclaimed'\n", index - 1)
end

--- The whole script. Names are plain text, whatever they contain.
return function (picture)
  local at, out = arrange(picture), {}
  local put = printer(out)
  put_head(picture, at, out)
  put_legend(picture, at, put)
  for index in ipairs(picture.panels) do
    put_panel(picture, at, index, put)
    put_strip(picture, at, index, put)
  end
  put "unset multiplot\n"
  return table.concat(out)
end
