-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of HTCondor's groups and OpenPBS' shares. Plans and notes are by hand from the
--- products' documentation.

local core = require "allot.core"
local import = require "spec.support.import.texts"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local tree = require "allot.import.tree"

local GROUPS = [[
# Accounting groups; names are case-insensitive, the last definition holds.
GROUP_NAMES = group_physics, group_physics.lattice, group_physics.optics, \
    # a comment inside a continued value is left out
    group_bio group_guest group_lost.child
PHYSICS = 60
GROUP_QUOTA_group_physics = $(PHYSICS)
GROUP_QUOTA_DYNAMIC_group_physics.lattice = 0.50
group_quota_dynamic_GROUP_PHYSICS.optics = 0.25
GROUP_QUOTA_group_bio = 10
GROUP_QUOTA_group_bio = 30
GROUP_QUOTA_DYNAMIC_group_guest = 0.3
GROUP_ACCEPT_SURPLUS = True
GROUP_ACCEPT_SURPLUS_group_guest = False
GROUP_AUTOREGROUP = False
GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 3
GROUP_QUOTA_group_gone = 4
NEGOTIATOR_CONSIDER_PREEMPTION = True
include : /etc/condor/more
]]
-- Dynamic quotas: of 120 - 60 - 30 = 30 slots at the root, of 60 in group_physics.
local GROUPS_PLAN = [[{"version": 1, "slots": 120, "policy": "hybrid", "consumers": [
  {"name": "group_bio", "owned": 30}, {"name": "group_guest", "owned": 9, "limit": 9},
  {"name": "group_physics", "owned": 60, "children": [
    {"name": "lattice", "owned": 30}, {"name": "optics", "owned": 15},
    {"name": "direct", "owned": 15}]},
  {"name": "none", "owned": 21}]}]]
local GROUPS_NOTES = {
  "a:1: note: group_physics has 15 slots beyond its groups': /group_physics/direct, for jobs of "
    .. "the group itself",
  "a:1: note: 21 slots are no group's: /none, for jobs without a group",
  "a:1: note: static quotas are scaled with the cluster in a plan; HTCondor scales them down only, "
    .. "and takes nothing back unless PREEMPTION_REQUIREMENTS says so",
  "a:4: note: group_lost.child is not carried over: its parent group_lost is not in GROUP_NAMES "
    .. "(HTCondor leaves it out, too)",
  "a:9: note: GROUP_QUOTA_group_bio is stated again in line 10, which holds",
  "a:15: note: GROUP_QUOTA_MAX_ALLOCATION_ROUNDS is not carried over",
  "a:16: note: GROUP_QUOTA_group_gone is not carried over: GROUP_NAMES has no such group",
  "a:18: note: include : /etc/condor/more is not read; name what it brings besides",
}

local SHARES = [[
# NAME  ID  PARENT  SHARES

physics	10	root	50
biology	11	root	30
* a star begins a comment, too
lattice	20	physics	20
optics	21	physics	10
ann	60	lattice	5
bob	61	lattice	10
cyd	62	biology	10
dan	63	root	5
eve	64	nowhere	5
bob	65	optics	1
fay	66	optics	ten
]]
local CONFIG = [[
fair_share: true	ALL
unknown_shares: 10
fairshare_usage_res: cput
fairshare_entity: euser
#fairshare_enforce_no_shares: TRUE
]]
local SHARES_PLAN = [[{"version": 1, "slots": 128,
  "policy": {"use": "share_ratio", "adjust_share_to_workload": true, "reclaim_shared": false},
  "consumers": [
    {"name": "unknown", "share": 10},
    {"name": "physics", "share": 50, "children": [
      {"name": "lattice", "share": 20, "children": [{"name": "ann", "share": 5},
                                                    {"name": "bob", "share": 10}]},
      {"name": "optics", "share": 10}]},
    {"name": "biology", "share": 30, "children": [{"name": "cyd", "share": 10}]},
    {"name": "dan", "share": 5}]}]]
local SHARES_NOTES = {
  "a:1: note: OpenPBS orders jobs by usage of the past and shares, and takes nothing back for it: "
    .. "policy share_ratio, without reclaim_shared",
  "a:12: note: eve is not carried over: its parent nowhere is not known (OpenPBS "
    .. "leaves it out, too)",
  "a:13: note: bob is stated again: line 9 holds (names are unique in the whole tree)",
  "a:14: note: fay is not carried over: SHARES = ten is no whole number",
  'b:2: note: unknown_shares makes the group "unknown", first in the tree',
  "b:3: note: fairshare_usage_res is not carried over: usage of the past",
}

describe("a site", function ()
  local folder

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  local function plan_of(texts, slots)
    local plan, notes = import.plan(folder, texts, "--slots", tostring(slots))
    return plan, import.lines(notes)
  end
  local function refused(texts, why, ...) import.refused(folder, why, texts, ...) end

  it("of HTCondor has its groups' quotas, static and dynamic", function ()
    local plan, notes = plan_of({ GROUPS }, 120)
    assert.same(core.decode(GROUPS_PLAN), plan)
    assert.same(GROUPS_NOTES, notes)
  end)

  it("of HTCondor shrinks static quotas, and scales dynamic ones to 1", function ()
    local plan = plan_of({ "GROUP_NAMES = a b c\nGROUP_QUOTA_a = 30\nGROUP_QUOTA_b = 10.5\n"
      .. "GROUP_QUOTA_DYNAMIC_c = 0.5\n" }, 27)
    assert.same({ 20, 7, 0 }, { plan.consumers[1].owned, plan.consumers[2].owned,
      plan.consumers[3].owned })
    assert.equal(3, #plan.consumers)
    plan = plan_of({ "GROUP_NAMES = a b\nGROUP_QUOTA_DYNAMIC_a = 1\n"
      .. "GROUP_QUOTA_DYNAMIC_b = 0.5\n" }, 10)
    assert.same({ 7, 3 }, { plan.consumers[1].owned, plan.consumers[2].owned })
    -- Defaults, a name inside its own definition, and a quota above all: the sum without --slots.
    local _, out = import.run(folder, "X = 1\nX = $(X)2\nGROUP_NAMES = a\n"
      .. "NEGOTIATOR.GROUP_QUOTA_a = $(X)\nGROUP_QUOTA_a = $(NONE:$(X))\n")
    assert.equal(12, core.decode(out).slots)
  end)

  it("of HTCondor is refused where numbers are none, or a name circles", function ()
    local text = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 5x\nGROUP_QUOTA_DYNAMIC_b = 1.5\n"
      .. "A = $(B)\nB = $(A)\nGROUP_ACCEPT_SURPLUS_b = maybe\n"
    for _, why in ipairs {
      ":2:1: error: GROUP_QUOTA_a = 5x is no number",
      ":3:1: error: GROUP_QUOTA_DYNAMIC_b = 1.5, allowed 0 to 1",
      ":4:1: error: A is defined by itself (A, B, A)",
      ":6:1: error: GROUP_ACCEPT_SURPLUS_b = maybe is neither true nor false",
    } do
      refused({ text }, why, "--slots", "10")
    end
    local chain, twice = { "GROUP_NAMES = $(N1)" }, { "GROUP_NAMES = $(N1)", [22] = "N21 = a" }
    for i = 1, 60 do chain[i + 1] = ("N%d = $(N%d)"):format(i, i + 1) end
    for i = 1, 20 do twice[i + 1] = ("N%d = $(N%d)$(N%d)"):format(i, i + 1, i + 1) end
    for _, lines in ipairs { chain, twice } do
      refused({ table.concat(lines, "\n") }, ":1:1: error: GROUP_NAMES names too many others",
        "--slots", "10")
    end
    refused({ "GROUP_NAMES = a\n" }, "--slots says how large the cluster is: no group has a static")
  end)

  it("of OpenPBS has its tree of shares", function ()
    local plan, notes = plan_of({ SHARES, CONFIG }, 128)
    assert.same(core.decode(SHARES_PLAN), plan)
    assert.same(SHARES_NOTES, notes)
    assert.same(plan, (plan_of({ CONFIG, SHARES }, 128)))
    refused({ SHARES }, "--slots says how large the cluster is: resource_group does not")
    refused({ SHARES, "unknown_shares: many\n" }, "unknown_shares = many is no whole number",
      "--slots", "9")
  end)

  it("of OpenPBS says what else is not as there", function ()
    local plan, notes = plan_of({ "a 1 root 0\nb 2 root 3\nx.y 3 b 1\n" .. ("z"):rep(300) .. "\n",
      "fair_share: false\nfairshare_enforce_no_shares: false\nfairshare_entity: egroup\n" }, 8)
    assert.same({ 1, 3000 }, { plan.consumers[1].share, plan.consumers[2].share })
    for _, said in ipairs {
      "1: note: a has SHARES 0: it runs when no other wants slots",
      "3: note: x.y becomes x_y: names match",
      "4: note: OpenPBS reads the first 255 bytes of a line",
      "is not carried over: NAME, ID, PARENT and SHARES are four words",
      "1: note: fair_share is off, so OpenPBS does not use the tree; the plan does",
      "3: note: fairshare_entity is not carried over: a plan's leaves are as they are named",
    } do
      assert.truthy(table.concat(notes, "\n"):find(said, 1, true), said)
    end
  end)

  it("is one: files of two are refused", function ()
    refused({ GROUPS, SHARES }, "this is a file of OpenPBS, and "
      .. folder .. "/a of HTCondor: files of one import are one site's", "--slots", "9")
  end)
end)

describe("slots in proportion", function ()
  property("have their sum, are within one of their part, and do not overflow", { runs = 3000 },
    function (case)
      local sum, all = 0, 0
      for _, weight in ipairs(case.weights) do sum = sum + weight end
      for i, slots in ipairs(tree.divide(case.total, case.weights)) do
        all = all + slots
        assert(sum == 0 or math.abs(slots - case.total * (case.weights[i] / sum)) < 1.001)
      end
      assert.equal(sum > 0 and case.total or 0, all)
    end, function (seed)
      local rng = random.new(seed)
      local case = { total = rng:int(0, math.tointeger(10 ^ rng:int(0, 9))), weights = {} }
      for i = 1, rng:int(1, 6) do
        local most = rng:int(0, 3) > 0 and math.tointeger(10 ^ rng:int(0, 15)) or 0
        case.weights[i] = rng:int(0, most)
      end
      return case
    end)
end)
