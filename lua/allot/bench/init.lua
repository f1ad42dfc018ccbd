-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The verb `bench`: what a cycle costs on this machine, and a simulation, and a service.

local core = require "allot.core"
local commits = require "allot.bench.commits"
local cycles = require "allot.bench.cycles"
local decide = require "allot.bench.decide"
local growth = require "allot.bench.growth"
local list = require "allot.bench.list"
local measure = require "allot.bench.measure"
local names = require "allot.language.names"
local play = require "allot.bench.play"
local queues = require "allot.bench.queues"
local reload = require "allot.bench.reload"
local serve = require "allot.bench.serve"
local service = require "allot.bench.service"
local sync = require "allot.bench.sync"
local victims = require "allot.bench.victims"

local bench = {}

local REPEAT = 9

--- Shapes of services: their numbers, each { default, least, most }.
local SERVICES = {
  decide = { run = decide.run, { 1000, 1, 50000 }, { 100000, 100000, 1000000 } },
  serve = { run = serve.run, { 60, 1, 3600 }, { 20000, 10, 1000000 } },
  reload = { run = reload.run, { 5, 1, 1000 }, { 0, 0, service.CONSUMERS } },
  commits = { run = commits.run },
  sync = { run = sync.run, { 100000, 1, 300000 } },
}

local LISTS = {
  cycles.trees, cycles.documents, victims.list, queues.list, queues.documents, queues.again,
  play.simulated,
  play.rigid, cycles.changes,
  growth.list,
}

--- Groups of shapes that run only if they are named.
local APART = { ["changes/"] = true, ["rigid/"] = true, ["growth/"] = true }

--- Whether a shape is asked for: without one all that do not begin with another word; with a word
--- all that begin with it.
local function wanted_by(shape)
  return function (name)
    local group = name:match "^%a+/"
    if not shape then return not (group and APART[group]) end
    return shape == name or group ~= nil and shape .. "/" == group
  end
end

-- ---- Services -----------------------------------------------------------------------------------

--- The numbers of "serve/SECONDS/EVENTS", or nil: no such shape.
local function numbers_of(shape, ranges)
  local out, words = {}, {}
  for word in (shape:match "^%a+(.*)$"):gmatch "/([^/]*)" do words[#words + 1] = word end
  if #words > #ranges or not shape:find "^%a+[/%d]*$" then return nil end
  for i, range in ipairs(ranges) do
    local number = words[i] and (words[i]:find "^%d+$" and tonumber(words[i]) or -1) or range[1]
    if number < range[2] or number > range[3] then return nil end
    out[i] = number
  end
  return out
end

local function run_service(it, shape)
  local found = shape and SERVICES[shape:match "^%a*"]
  local numbers = found and numbers_of(shape, found)
  if not numbers then return false end
  found.run(it, table.unpack(numbers))
  return true
end

-- ---- Shapes -------------------------------------------------------------------------------------

local function unknown(it, shape)
  local known = {}
  for _, tree in ipairs(cycles.SHAPES) do known[#known + 1] = tree[1] end
  for word in ("victims queues simulate rigid growth serve decide reload commits sync")
    :gmatch "%a+" do
    known[#known + 1] = word
  end
  local near = names.nearest(shape, known)
  local hint = near and ("did you mean %s?"):format(near)
    or "there are " .. table.concat(known, ", ")
  it:fail(2, "E-usage", "there is no shape " .. shape:sub(1, 100), hint)
end

local function is_known(wanted)
  local known = wanted "victims" or wanted "simulate"
  for group, sites in pairs {
    [""] = cycles.SHAPES, ["changes/"] = cycles.CHANGES, ["queues/"] = queues.SITES,
    ["rigid/"] = play.SITES, ["growth/"] = growth.SITES,
  } do
    for _, site in ipairs(sites) do known = known or wanted(group .. (site.name or site[1])) end
  end
  return known
end

local function run_shapes(it, wanted)
  cycles.run(it, wanted)
  if wanted "victims" then victims.run(it) end
  queues.run(it, wanted)
  if wanted "simulate" then play.run(it) end
  cycles.run_changes(it, wanted)
  play.run_rigid(it, wanted)
  growth.run(it, wanted)
end

-- ---- Results ------------------------------------------------------------------------------------

local function machine(it, key)
  local info = "\n" .. (it.host.read "/proc/cpuinfo" or "")
  return info:match("\n" .. key .. "%s*: *([^\n]*)") or ""
end

local function put_text(it)
  local cpu = machine(it, "model name")
  it.host.out(("%s; best of %d, in brackets the median\n")
    :format(cpu ~= "" and cpu or "unknown processor", it.count))
  for _, made in ipairs(LISTS) do it.host.out(list.text(made)) end
end

local function put_json(it)
  local compiler, optimized = it:call("build"):match "(.*)\n(.*)"
  local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0") .. '"' end
  it.host.out(('{"schema": "allot/bench/v1", "version": "%s", "repeat": %d, "machine": {"cpu": %s, '
    .. '"flags": %s, "compiler": %s, "optimized": %s}'):format(core.version, it.count,
    quoted(machine(it, "model name")), quoted(machine(it, "flags")), quoted(compiler), optimized))
  for _, made in ipairs(LISTS) do
    if made.always or #made.rows > 0 then it.host.out(list.json(made)) end
  end
  it.host.out "}\n"
end

local function run(it)
  local shape = it.host.option "shape"
  if run_service(it, shape) then return end
  local wanted = wanted_by(shape)
  if shape and not is_known(wanted) then unknown(it, shape) end
  it.count = it.count or REPEAT
  run_shapes(it, wanted)
  if it.host.option "format" == "json" then put_json(it) else put_text(it) end
end

--- Measures; the exit status.
function bench.run(host)
  local good, failure = pcall(run, measure.new(host))
  if good then return 0 end
  if type(failure) == "table" and failure.status then return failure.status end
  error(failure, 0)
end

return bench
