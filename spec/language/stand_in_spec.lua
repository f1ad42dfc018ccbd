-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A policy that stands in for the plan's own: what that one declares may be stated all the same.

local json = require "dkjson"
local random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local simulation = require "spec.support.cases.simulation"

local KUEUE = [[return policy { name = "kueue",
  attributes = {
    lending_limit = { type = "integer", default = none },
    vip = { type = "boolean" },
  },
  task_attributes = { pinned = { type = "boolean" } },
  options = { within = { type = "string", values = { "any", "never" }, default = "any" } },
  quota = { fill "kept" { by = function (owned, lending_limit, vip)
    return math.max(0, owned - math.min(owned, lending_limit)) + (vip and 1 or 0) end } },
}]]
local OTHER = [[return policy { name = "other",
  attributes = { vip = { type = "integer", max = 3 } }, quota = { fill "vip" { by = "vip" } } }]]

local function plan_of(more)
  return '{"version": 1, "slots": 12, "policy": {"use": "kueue.lua", "within": "never"},\n'
    .. '"options": {"within": "any"}, "consumers": [\n{"name": "a", "owned": 6, "vip": '
    .. (more or "true") .. ', "lending_limit": 2},\n{"name": "b", "owned": 6}]}'
end

local BARE = [[{"version": 1, "slots": 12, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 6}, {"name": "b", "owned": 6}]}]]
local STATE = [[{"now": 100, "consumers": {"/a": {"demand": 9}, "/b": {"demand": 3}},
  "tasks": [{"id": "t", "consumer": "/a", "started": 1, "pinned": true}]}]]

describe("a policy that stands in for the plan's own", function ()
  local at

  local function diff(words)
    return shell.run(("here=$PWD; cd %s && $here/%s diff %s"):format(at, shell.allot, words))
  end

  setup(function ()
    at = shell.directory()
    local plain = STATE:gsub(', "pinned": true', "")
    for name, text in pairs { ["kueue.lua"] = KUEUE, ["other.lua"] = OTHER,
      ["plan.json"] = plan_of(), ["bare.json"] = BARE, ["state.json"] = STATE,
      ["plain.json"] = plain } do
      shell.write(at .. "/" .. name, text)
    end
  end)

  teardown(function () shell.remove(at) end)

  it("is compared, and one note names what it does not read", function ()
    local status, out, err = diff "plan.json hybrid state.json"
    assert.equal(1, status)
    assert.matches("policy hybrid in place of its own", out, 1, true)
    local _, notes = err:gsub("%[W%-unread%]", "")
    assert.equal(1, notes)
    assert.matches('"hybrid" stands in for "kueue", and does not read its lending_limit, vip, '
      .. "pinned", err, 1, true)
    assert.matches("^plan.json:1:", err)
  end)

  it("decides as where the plan never said it", function ()
    local status, out, err = diff "plan.json hybrid plain.json --format json"
    assert.equal(1, status, err)
    local bare = select(2, diff "plan.json bare.json plain.json --format json")
    assert.same(json.decode(bare).states, json.decode(out).states)
  end)

  it("has a name of its own in place of the other's, with its own bounds", function ()
    shell.write(at .. "/number.json", plan_of "2")
    local status, _, err = diff "--plan number.json other.lua hybrid plain.json"
    assert.matches("found the number 2, allowed true or false", err, 1, true)
    assert.equal(3, status)
    status, _, err = diff "--plan number.json other.lua other.lua plain.json"
    assert.equal(0, status, err)
    assert.matches("does not read its lending_limit, pinned", err, 1, true)
  end)

  it("leaves what nobody declares an error", function ()
    shell.write(at .. "/typo.json", (plan_of():gsub("lending_limit", "lending_limt")))
    local status, _, err = diff "--plan typo.json hybrid hybrid plain.json"
    assert.equal(3, status)
    assert.matches('unknown key "lending_limt"', err, 1, true)
  end)

  it("is simulated", function ()
    local files = { ["plan.json"] = plan_of(), ["kueue.lua"] = KUEUE,
      ["map.lua"] = 'return function () return "/a" end',
      log = simulation.swf(1, 0, 10, 4, 1, 1) .. simulation.swf(2, 4, 10, 2, 9, 9, 7) }
    local status, out, err = simulation.run(files, "plan.json log --map map.lua --policy hybrid")
    assert.equal(0, status, err)
    assert.matches("hybrid", out)
    assert.matches("[W-unread]", err, 1, true)
  end)

  it("decides so of random plans", function ()
    for seed = 1, 25 do
      local rng, with, bare, rows = random.new(seed), {}, {}, {}
      for i = 1, rng:int(2, 5) do
        with[i] = { name = "c" .. i, owned = rng:int(0, 6), rank = rng:int(0, 2) }
        bare[i] = { name = "c" .. i, owned = with[i].owned, rank = with[i].rank }
        if rng:once_in(2) then with[i].lending_limit = rng:int(0, 5) end
        if rng:once_in(2) then with[i].vip = rng:once_in(2) end
        rows["/c" .. i] = { demand = rng:int(0, 12), allocated = rng:int(0, 3) }
      end
      local function write(name, value) shell.write(at .. "/" .. name, json.encode(value)) end
      write("r.json", { slots = 20, policy = "kueue.lua", consumers = with })
      write("s.json", { slots = 20, policy = "hybrid", consumers = bare })
      write("now.json", { now = 0, consumers = rows })
      local status, out, err = diff "--plan r.json hybrid s.json now.json"
      assert.equal(0, status, seed .. out .. err)
    end
  end)
end)
