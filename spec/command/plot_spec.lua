-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot simulate --plot` and `--samples`: what is drawn, by whom, and what is left of failures.

local json = require "dkjson"
local shell = require "spec.support.house.shell"
local simulation = require "spec.support.cases.simulation"

local swf = simulation.swf

-- u1 takes the whole machine for an hour; after ten minutes u2 wants its half back, for 30.
local PLAN = [[{"version": 1, "slots": 8, "consumers": [
  {"name": "u1", "owned": 4}, {"name": "u2", "owned": 4}]}]]
local LOG = "; UnixStartTime: 749433600\n" .. swf(1, 0, 3600, 8, 1) .. swf(2, 600, 1800, 4, 2)

--- Runs `allot simulate` in a folder of its own; `look` gets a function that reads a file of it
-- (nil: it is not there), and what it holds behind the texts it began with.
local function simulate(files, words, look, before)
  local at, names = shell.directory(), {}
  for name, text in pairs(files) do
    shell.write(at .. "/" .. name, text)
    names[name] = true
  end
  local status, out, err = shell.run(("here=$PWD; cd %s && %s $here/%s simulate %s"):format(
    at, before or "", shell.allot, words))
  local new = {}
  for _, name in ipairs(shell.lines("ls -A " .. at)) do
    if not names[name] then new[#new + 1] = name end
  end
  local function read(name)
    return shell.exists(at .. "/" .. name) and shell.read(at .. "/" .. name) or nil
  end
  if look then look(read, new) end
  shell.remove(at)
  return status, out, err, new
end

local FILES = { ["plan.json"] = PLAN, log = LOG }

--- What gnuplot is told of a run.
local function script(files, words)
  local text
  local status, _, err = simulate(files, words .. " --plot x.gp", function (read)
    text = read "x.gp"
  end)
  assert.equal("", err)
  assert.equal(0, status)
  return text
end

--- A data block, as its lines.
local function block(text, name)
  local data = text:match("%$" .. name .. " << END\n(.-)END\n")
  return data and data:gsub("\n+$", ""):gsub("\n+", ", ")
end

--- Says of XML where it is not well-formed; nil: it is.
local function malformed(text)
  local open, at = {}, 1
  text = text:gsub("^<%?xml.-%?>", ""):gsub("<!DOCTYPE.->", ""):gsub("<!%-%-.-%-%->", "")
    :gsub("<!%[CDATA%[.-%]%]>", "")
  if not utf8.len(text) or text:find "[%z\1-\8\11\12\14-\31]" then return "characters" end
  while true do
    local from, to, close, name, rest = text:find("<(/?)([%w:_-]+)(.-)>", at)
    local between = text:sub(at, (from or 0) - 1)
    if between:find "<" or between:gsub("&#?%w+;", ""):find "&" then return between end
    if not from then break end
    if close == "/" then
      if table.remove(open) ~= name then return "</" .. name end
    else
      local words = rest:gsub("/$", ""):gsub("%s[%w:_-]+%s*=%s*'[^'<]*'", "")
        :gsub('%s[%w:_-]+%s*=%s*"[^"<]*"', "")
      if words:find "%S" then return words end
      if rest:sub(-1) ~= "/" then open[#open + 1] = name end
    end
    at = to + 1
  end
  return open[1]
end

--- The texts in an SVG, one a line.
local function texts(svg)
  local list = {}
  for text in svg:gmatch "<text>(.-)</text>" do
    list[#list + 1] = text:gsub("<[^>]*>", ""):gsub("&lt;", "<"):gsub("&amp;", "&")
      :gsub("^%s+", "")
  end
  return table.concat(list, "\n") .. "\n"
end

--- What the bands of a script cover, and in how many steps: the highest at each time is the sum.
local function area_of(text)
  local marks, steps, area = {}, {}, 0
  for data in text:gmatch "%$band_0_%d << END\n(.-)END\n" do
    local x, y
    for at, value in data:gmatch "(%S+) (%S+)\n" do
      at, value = tonumber(at), tonumber(value)
      if y == value and at > x then
        steps[#steps + 1] = { x, at, value }
      end
      marks[at], x, y = true, at, value
    end
  end
  local times = {}
  for at in pairs(marks) do times[#times + 1] = at end
  table.sort(times)
  for i = 1, #times - 1 do
    local most = 0
    for _, step in ipairs(steps) do
      if step[1] <= times[i] and step[2] > times[i] then most = math.max(most, step[3]) end
    end
    area = area + most * (times[i + 1] - times[i])
  end
  return area, #times - 1
end

describe("a picture", function ()
  it("has what was held, wanted, there and reclaimed, second by second", function ()
    local text = script(FILES, "plan.json log")
    assert.equal("0 8, 600 8, 600 4, 2400 4, 2400 8, 3600 8, 3600 4, 6000 4, 6000 0, 0 0",
      block(text, "band_0_0"))
    assert.equal("600 8, 2400 8, 2400 0, 600 0", block(text, "band_0_1"))
    assert.equal("0 8, 600 8, 600 12, 2400 12, 2400 8, 3600 8, 3600 4, 6000 4",
      block(text, "wanted_0"))
    assert.equal("0 8, 6000 8", block(text, "size_0"))
    assert.equal("0 0, 615 4", block(text, "reclaimed_0"))
    assert.truthy(text:find("keyentry with boxes fs solid 1 noborder fc rgb '#332288' title '/u1'",
      1, true))
  end)

  it("has all slot-seconds of the simulation, in steps of any width", function ()
    local plan = [[{"version": 1, "slots": 64, "consumers": [{"name": "g1", "owned": 32},
      {"name": "g2", "owned": 16}, {"name": "g3", "owned": 16}]}]]
    local files = { ["plan.json"] = plan, log = shell.read "examples/log/sample.swf" }
    for _, bins in ipairs { 10, 77, 2000 } do
      local text
      local status, out = simulate(files, "plan.json log --format json --plot x.gp --bins " .. bins,
        function (read) text = read "x.gp" end)
      assert.equal(0, status)
      local area, steps = area_of(text)
      local figures = json.decode(out).runs[1].figures
      local held = figures.busy + figures.gathered
      assert.truthy(steps <= bins and steps > bins / 20, steps)
      assert.truthy(held > 0 and math.abs(area - held) < held * 1e-5, area .. " of " .. held)
      assert.truthy(block(text, "size_0"):find("^0 64, %d+ 64$"))
    end
  end)

  it("shows when windows switch, and what they change", function ()
    local plan = PLAN:gsub('"consumers"',
      '"windows": [{"from": "00:20", "to": "00:50", "slots": 12}], %0')
    local text = script({ ["plan.json"] = plan, log = LOG }, "plan.json log")
    assert.equal("0 8, 1200 8, 1200 12, 3000 12, 3000 8",
      block(text, "size_0"):match "^(.*), %d+ 8$")
    local _, count = text:gsub("set arrow from (%d+)", "")
    assert.equal(2, count)
    assert.truthy(text:find("set arrow from 1200, graph 0 to 1200, graph 1", 1, true))
    assert.truthy(text:find("title 'windows switch'", 1, true))
  end)

  it("says so where more windows switch than it has lines for", function ()
    local days = {}
    for day = 0, 39 do days[day + 1] = swf(day + 1, day * 86400, 3600, 1, 1) end
    local plan = PLAN:gsub('"consumers"', '"windows": [{"from": "08:00", "to": "09:00"}], %0')
    local files = { ["plan.json"] = plan, log = table.concat(days) }
    local status, _, err = simulate(files, "plan.json log --plot x.gp", function (read)
      local _, lines = read "x.gp":gsub("set arrow from (%d+)", "")
      assert.equal(64, lines)
    end)
    assert.equal(0, status)
    assert.truthy(err:find("warning: windows switch more than 64 times", 1, true), err)
    assert.truthy(err:find("[W-switches]", 1, true), err)
    assert.equal("", script(files, "plan.json log --before 86400") and "")
  end)

  it("cuts an axis that would hide what was held, and says so", function ()
    local log = LOG .. swf(3, 700, 60, 1000, 2)
    local text = script({ ["plan.json"] = PLAN, log = log }, "plan.json log")
    local wanted = tonumber(text:match "'up to (%d+) wanted'")
    assert.truthy(wanted and wanted > 900)
    assert.truthy(text:find "set yrange %[0:8%.64%]")
    assert.falsy(script(FILES, "plan.json log"):find "up to")
  end)

  it("has simulations under each other, on the same axes", function ()
    local log = LOG
    for user = 3, 14 do log = log .. swf(user, 10000 + user, 100 * user, 1, user) end
    local rows = {}
    for user = 1, 14 do rows[user] = ('{"name": "u%d"}'):format(user) end
    local files = {
      log = log,
      ["plan.json"] = '{"version": 1, "slots": 8, "consumers": ['
        .. table.concat(rows, ",") .. "]}",
      ["other.json"] = '{"version": 1, "slots": 8, "queues": [{"name": "all"}]}',
    }
    local text = script(files, "plan.json other.json log")
    assert.truthy(block(text, "band_1_0") or block(text, "band_1_1"))
    assert.truthy(text:find "title '6 others'")
    local _, ranges = text:gsub("set xrange", "")
    assert.equal(1, ranges)
    -- Who is first of a panel has a name, whatever others have; the users of the other are 8.
    assert.truthy(text:find "title '/all'")
    assert.truthy(text:find "title '/u1'")
    assert.falsy(text:find "title '/u3'")
  end)
end)

describe("gnuplot", function ()
  local function drawn(suffix, files, words)
    local name, picture = "x." .. suffix, nil
    local status, out, err, new = simulate(files, words .. " --plot " .. name, function (read)
      picture = read(name)
    end)
    assert.equal("", err)
    assert.equal(0, status)
    assert.truthy(#out > 0)
    assert.same({ name }, new)
    return picture
  end

  it("draws an SVG that is XML, with labels that people can read", function ()
    local svg = drawn("svg", FILES, "plan.json log")
    assert.is_nil(malformed(svg))
    local all = texts(svg)
    for _, label in ipairs {
      "log under plan.json", "hybrid", "/u1", "/u2", "slots there are", "slots wanted",
      "slots reclaimed in 30 s", "slots (means of 30 s)", "time (UTC), 1 Oct 1993", "00:30", "10",
    } do
      assert.truthy(("\n" .. all):find("\n" .. label .. "\n", 1, true), label .. " not in " .. all)
    end
    for _, title in ipairs { "/u1", "/u2", "slots wanted", "slots there are", "slots reclaimed" } do
      assert.truthy(svg:find("<title>" .. title .. "</title>", 1, true), title)
    end
    assert.equal(svg, drawn("svg", FILES, "plan.json log"))
  end)

  it("takes any name as text", function ()
    local plan, log = [[it's "a" _b^2 {x} `id` $HOME & <é>.json]], "l'o_g\t"
    local files = { [plan] = PLAN, [log] = LOG }
    local svg = drawn("svg", files, shell.quote(plan) .. " " .. shell.quote(log))
    assert.is_nil(malformed(svg))
    assert.truthy(texts(svg):find("l'o_g? under " .. plan, 1, true), texts(svg))
  end)

  it("draws a PNG", function ()
    local png = drawn("png", FILES, "plan.json plan.json log")
    local width, height = (">I4I4"):unpack(png, 17)
    assert.equal("\137PNG\r\n\26\n", png:sub(1, 8))
    assert.truthy(width > 1200 and width < 3000 and height > 700 and height < 3000)
    assert.truthy(#png > 10000)
  end)

  it("draws what holds nothing and takes no time", function ()
    local svg = drawn("svg", { ["plan.json"] = PLAN, log = swf(1, 5, 0, 1, 1) }, "plan.json log")
    assert.is_nil(malformed(svg))
  end)
end)

describe("the README's picture", function ()
  it("is XML, small, and of three policies", function ()
    local svg = shell.read "examples/nasa/nasa.svg"
    assert.truthy(#svg < 150000, #svg)
    assert.is_nil(malformed(svg))
    for _, label in ipairs { "hybrid", "share_ratio", "pools", "/g1/u4", "/g2" } do
      assert.truthy(texts(svg):find("\n" .. label .. "\n", 1, true), label)
    end
    assert.truthy(shell.read("core/simulate/README.md"):find("/examples/nasa/nasa.svg)", 1, true))
  end)
end)

describe("a picture that cannot be drawn", function ()
  --- Runs what must fail: nothing on standard output, nothing left.
  local function refused(wanted, status, words, before, files)
    local code, out, err, new = simulate(files or FILES, "plan.json log " .. words, nil, before)
    assert.truthy(err:find(wanted, 1, true), err)
    assert.equal(status, code)
    assert.equal("", out)
    return new, err
  end

  it("says so before anything is simulated where there is no gnuplot", function ()
    local new, err = refused("[E-plot]", 5, "--plot x.svg", "PATH=/nonexistent")
    assert.truthy(err:find("apt-get install gnuplot-nox", 1, true))
    assert.same({}, new)
    assert.equal(0, (simulate(FILES, "plan.json log --plot x.gp", nil, "PATH=/nonexistent")))
  end)

  it("says what gnuplot complained of", function ()
    local new, err = refused("[E-plot]", 5, "--plot x.svg", "mkdir bin; printf '%s\\n' '#!/bin/sh' "
      .. "'[ $1 = --version ] && exec echo 5' 'cat > /dev/null' 'echo oh dear >&2' 'exit 1' "
      .. "> bin/gnuplot; chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH")
    assert.truthy(err:find("gnuplot failed: oh dear", 1, true))
    assert.same({ "bin" }, new)
  end)

  it("leaves nothing where it cannot be written", function ()
    assert.same({}, (refused("none/x.svg: error: cannot be written", 5, "--plot none/x.svg")))
    assert.same({ "x.gp" }, (refused("x.gp: error: cannot be written: Is a directory [E-io]", 5,
      "--plot x.gp", "mkdir x.gp;")))
    assert.same({}, (refused("none/x.csv: error: cannot be written", 5, "--samples none/x.csv")))
    assert.same({ "x.csv" }, (refused("[E-io]", 5, "--samples x.csv", "mkdir x.csv;")))
  end)

  it("tells which files there are, and how many panels", function ()
    for _, name in ipairs { "x.pdf", "x", ".svg", "svg", "x.svg.gz", "x.SVG" } do
      assert.same({}, (refused('ends in .svg, .png or .gp, not "' .. name .. '"', 2,
        "--plot " .. name)))
    end
    refused("--plot draws at most 12 simulations", 2,
      "--plot x.gp" .. (" --policy hybrid"):rep(13))
    refused("--bins", 2, "--bins 3 --plot x.gp")
  end)
end)

describe("samples", function ()
  it("are every change, of every simulation", function ()
    local csv
    local status = simulate(FILES, "plan.json log --policy hybrid --policy share_ratio "
      .. "--samples x.csv", function (read) csv = read "x.csv" end)
    assert.equal(0, status)
    local first = csv:gsub("share_ratio,[^\n]*\n", "")
    assert.equal([[
policy,at,group,consumer,demand,allocated,busy,reclaimed,killed
hybrid,749433600,default,/u1,8,8,8,0,0
hybrid,749434200,default,/u1,8,4,4,4,4
hybrid,749434200,default,/u2,4,4,4,0,0
hybrid,749436000,default,/u1,8,8,8,0,0
hybrid,749436000,default,/u2,0,0,0,0,0
hybrid,749437200,default,/u1,4,4,4,0,0
hybrid,749439600,default,/u1,0,0,0,0,0
]], first)
    assert.truthy(csv:find "\nshare_ratio,749433600,")
  end)

  it("quote names as CSV does", function ()
    local csv
    simulate({ ['a "b", c.json'] = PLAN, ["d.json"] = PLAN, log = LOG },
      [['a "b", c.json' d.json log --samples x.csv]], function (read) csv = read "x.csv" end)
    assert.truthy(csv:find('\n"a ""b"", c",749433600,default,/u1,8,8,8,0,0\n', 1, true))
  end)
end)
