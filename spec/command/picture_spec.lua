-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- lua/allot/plot: sums of bins, bands of pictures, axes, and names in gnuplot's words.

local axis = require "allot.plot.axis"
local bins = require "allot.plot.bins"
local data = require "allot.plot.data"
local plot = require "allot.plot"

local SECONDS = 5000

--- Levels of two rows and amounts of a third, told to bins; and what every second had.
local function play(it)
  local begin, most, level, all = math.random(-50000, 50000), math.random(60), { 0, 0 }, {}
  it:level(1, begin, 0)
  for i = 0, SECONDS - 1 do
    for row = 1, 2 do
      if math.random(most) == 1 then
        level[row] = math.random(4) == 1 and 0 or math.random(1000)
        it:level(row, begin + i, level[row])
      end
    end
    local amount = math.random(most) == 1 and math.random(9) or 0
    it:add(3, begin + i, amount)
    all[i] = { level[1], level[2], amount }
  end
  it:finish(begin + SECONDS)
  return begin, all
end

local function agree(it, begin, all)
  for bin = 0, it.used - 1 do
    local sums, length = { 0, 0, 0 }, 0
    for at = it.origin + bin * it.width, it.origin + (bin + 1) * it.width - 1 do
      local second = all[at - begin]
      for row = 1, second and 3 or 0 do sums[row] = sums[row] + second[row] end
      length = length + (second and 1 or 0)
    end
    assert.same(sums, { it:at(1, bin), it:at(2, bin), it:at(3, bin) })
    assert.equal(length, it:seconds(bin))
  end
end

describe("bins", function ()
  it("are exact sums of seconds, also when they are joined", function ()
    for seed = 1, 20 do
      math.randomseed(seed)
      local it = bins.new(3, 10 + seed * 90)
      local begin, all = play(it)
      assert.is_true(it.used <= it.most and it.used * 12 > it.most)
      assert.is_true(it.origin <= begin and it.origin % it.width == 0)
      agree(it, begin, all)
      local before = it:sum(1)
      it:widen(900)
      assert.is_true(it.width >= 900)
      agree(it, begin, all)
      assert.equal(before, it:sum(1))
    end
  end)

  it("are fewer where there are many rows, and never few", function ()
    assert.equal(2000, bins.new(10, 2000).most)
    assert.equal(400, bins.new(10000, 2000).most)
    assert.equal(200, bins.new(1000000, 2000).most)
    assert.equal(10, bins.new(1000000, 10).most)
  end)

  it("stop at the largest integer", function ()
    assert.equal(math.maxinteger, bins.plus(math.maxinteger - 1, 2))
    local it = bins.new(1, 10)
    it:level(1, 0, math.maxinteger // 2)
    it:finish(30)
    assert.equal(math.maxinteger, it:sum(1))
  end)
end)

describe("an axis", function ()
  local OCT_1 = 749433600 -- 1993-10-01, a Friday

  it("has ticks where people look", function ()
    for _, it in ipairs {
      { OCT_1, OCT_1 + 10 * 60, "1 Oct | 00:01 | 00:02 | 00:03 | 00:04 | 00:05 | 00:06 | "
        .. "00:07 | 00:08 | 00:09 | 00:10" },
      { OCT_1 + 60, OCT_1 + 86400, "02:00 | 04:00 | 06:00 | 08:00 | 10:00 | 12:00 | 14:00 | "
        .. "16:00 | 18:00 | 20:00 | 22:00 | 2 Oct" },
      { OCT_1 + 1, OCT_1 + 3 * 86400, "06:00 | 12:00 | 18:00 | 2 Oct | 06:00 | 12:00 | "
        .. "18:00 | 3 Oct | 06:00 | 12:00 | 18:00 | 4 Oct" },
      { OCT_1, OCT_1 + 30 * 86400, "4 Oct | 11 Oct | 18 Oct | 25 Oct" },
      -- Mondays, and months of their own lengths across a leap year's end of February.
      { 1700000000, 1712000000, "27 Nov | 11 Dec | 25 Dec | 8 Jan | 22 Jan | 5 Feb | 19 Feb | "
        .. "4 Mar | 18 Mar | 1 Apr" },
      { 1704067200, 1735689600, "Jan 2024 | Feb 2024 | Mar 2024 | Apr 2024 | May 2024 | "
        .. "Jun 2024 | Jul 2024 | Aug 2024 | Sep 2024 | Oct 2024 | Nov 2024 | Dec 2024 | "
        .. "Jan 2025" },
      { 946684800, 1262304000, "2000 | 2001 | 2002 | 2003 | 2004 | 2005 | 2006 | 2007 | "
        .. "2008 | 2009 | 2010" },
      { 0, 36000, "0 h | 1 h | 2 h | 3 h | 4 h | 5 h | 6 h | 7 h | 8 h | 9 h | 10 h" },
      { 5, 40 * 86400, "7 d | 14 d | 21 d | 28 d | 35 d" },
      { 7, 7, "7 s" },
    } do
      local labels = {}
      for i, tick in ipairs(axis.ticks(it[1], it[2])) do
        assert.is_true(tick[1] >= it[1] and tick[1] <= it[2])
        labels[i] = tick[2]
      end
      assert.equal(it[3], table.concat(labels, " | "))
    end
  end)

  it("has units", function ()
    assert.equal("time (UTC), 1 Oct 1993 to 1 Jan 1994", axis.title(OCT_1, 757407825))
    assert.equal("time (UTC), 1 Oct 1993", axis.title(OCT_1, OCT_1 + 100))
    assert.equal("time since the log's start", axis.title(0, OCT_1))
    assert.same({ "3 h", "14 d", "90 s" },
      { axis.duration(10800), axis.duration(14 * 86400), axis.duration(90) })
    assert.same({ 1, 1, 50, 200000000 },
      { axis.step(1), axis.step(5), axis.step(128), axis.step(1000000000) })
  end)

  it("names every day as the calendar does", function ()
    for at = 10 * 365 * 86400, 4102444800, 86400 * 97 do
      assert.equal(os.date("!time (UTC), %d %b %Y", at):gsub(" 0", " "), axis.title(at, at))
    end
  end)
end)

describe("names", function ()
  it("are text for gnuplot, whatever is in them", function ()
    for _, it in ipairs {
      { "/g1/u4", 20, "'/g1/u4'" },
      { "it's ''", 20, "'it''s '''''" },
      { 'a_b^2 {/Bold x} "q" `id` $(id) @m \\', 60, "'a_b^2 {/Bold x} \"q\" `id` $(id) @m \\'" },
      { "line\nbreak\ttab\x7f\x1b[0m", 60, "'line?break?tab??[0m'" },
      { "é世🐑", 60, "'é世🐑'" },
      -- Lone bytes, overlong forms, surrogates, noncharacters, C1 controls, an end within one.
      { "\x80|\xc0\xaf|\xe0\x80\xaf|\xed\xa0\x80|\xef\xbf\xbf|\xc2\x9b|\xf5|\xe4\xb8", 60,
        "'?|??|???|???|???|??|?|??'" },
      { "/research/physics/alice", 12, "'…ysics/alice'" },
      { "/éééé", 3, "'…éé'" },
      { "", 3, "''" },
    } do
      assert.equal(it[3], data.quoted(it[1], it[2]))
    end
  end)
end)

--- What the tool makes of simulations; pieces end anywhere.
local function draw(lines, ...)
  local text, at, out = table.concat(lines, "\n") .. "\n", 1, nil
  plot.draw({
    read = function ()
      local piece = text:sub(at, at + 6)
      at = at + #piece
      return piece
    end,
    out = function (script) out = script end,
  }, { ... })
  return out
end

--- Consumer i holds 10 * i slots for an hour, from hour i on; there are 200, and half are wanted.
local function simulation(count, name)
  local lines = { "0 " .. count }
  for i = 0, count - 1 do lines[#lines + 1] = ("5 %d %s"):format(i, name(i)) end
  lines[#lines + 1] = "1 0 0 200"
  for i = 0, count - 1 do
    if i > 0 then lines[#lines + 1] = ("2 %d 0 %d 0 0 0"):format(i * 3600, i - 1) end
    lines[#lines + 1] = ("2 %d 0 %d 100 %d 0"):format(i * 3600, i, 10 * i)
  end
  lines[#lines + 1] = ("2 %d 0 %d 0 0 7"):format(count * 3600, count - 1)
  lines[#lines + 1] = "3 3600"
  lines[#lines + 1] = ("4 %d"):format((count + 1) * 3600)
  return lines
end

describe("a script", function ()
  it("says what is drawn", function ()
    local names = { [0] = "/x", "/y", "/it's \"_{x}\"" }
    local out = draw(simulation(3, function (i) return names[i] end), "don't", "svg", "400", "all",
      "p'q")
    for _, piece in ipairs {
      "set terminal svg", " noenhanced ", " title '/it''s \"_{x}\"', \\\n",
      "set label 2 'don''t' at screen", "set label 1 'p''q' at graph",
      "$size_0 << END\n0 200\n14400 200\nEND\n",
      "$wanted_0 << END\n0 100\n10800 100\n10800 0\n14400 0\nEND\n",
      "$reclaimed_0 << END\n0 0\n10830 7\nEND\n",
      "$band_0_0 << END\n7200 20\n10800 20\n10800 0\n7200 0\n\nEND\n",
      "set arrow from 3600, graph 0 to 3600, graph 1 ", "set xrange [0:14400]\n",
    } do
      assert.truthy(out:find(piece, 1, true), piece .. " is not in\n" .. out)
    end
    assert.falsy(out:find "others")
  end)

  it("has bands of who is first in each simulation, and all others in one", function ()
    local lines = simulation(14, function (i) return ("/c%02d"):format(i) end)
    table.move(simulation(4, function (i) return ("/c%02d"):format(i) end), 1, 100, #lines + 1,
      lines)
    local out, titles = draw(lines, "t", "png", "400", "all", "one", "other"), {}
    for title in out:gmatch "keyentry with boxes [^\n]* title '([^']*)'" do
      table.insert(titles, 1, title)
    end
    -- 13 ... 8 of the one, and all three of the other, by what both give.
    assert.same({ "/c13", "/c12", "/c11", "/c10", "/c09", "/c08", "/c03", "/c02", "/c01",
                  "4 others" }, titles)
    assert.truthy(out:find "set terminal pngcairo")
    assert.falsy(out:find "%$band_1_0 ")
    assert.truthy(out:find "%$band_1_7 ")
  end)

  it("has bands of the first level, unless it shall have all", function ()
    local names = { [0] = "/x", "/x/a", "/x/b" } -- these hold 10 and 20 slots, one after the other
    local lines = simulation(3, function (i) return names[i] end)
    local out = draw(lines, "t", "svg", "400", "first", "one")
    assert.truthy(out:find("$band_0_0 << END\n3600 10\n7200 10\n7200 20\n10800 20\n", 1, true), out)
    assert.truthy(out:find(" title '/x'", 1, true))
    assert.falsy(out:find("/x/", 1, true))
  end)
end)
