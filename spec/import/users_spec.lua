-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of who may have how much: lsb.users and the limits of lsb.resources, with groups,
--- `group@`, `default`, `all` and `~` (rules.md 1.3, P-21, P-23; IBM's reference of both files).

local allot = require "allot"
local json = require "dkjson"
local lsf = require "spec.support.cases.lsf"

local QUEUES = "Begin Queue\nQUEUE_NAME = q\nEnd Queue\nBegin Queue\nQUEUE_NAME = r\nEnd Queue\n"
local HOSTS = "Begin Host\nHOST_NAME MXJ\nh1 40\nh2 40\nEnd Host\n"

local function plan_of(users, resources)
  return lsf.plan_of { ["lsb.queues"] = QUEUES, ["lsb.hosts"] = HOSTS, ["lsb.users"] = users or "",
    ["lsb.resources"] = resources or "" }
end

--- The plan of rows of a User section, behind groups.
local function users(rows, groups)
  return plan_of((groups and "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\n" .. groups
    .. "\nEnd UserGroup\n" or "")
    .. "Begin User\nUSER_NAME MAX_JOBS JL/P MAX_PEND_JOBS\n" .. rows .. "\nEnd User\n")
end

local function limit(lines)
  local plan, notes, made = plan_of("Begin UserGroup\nGROUP_NAME GROUP_MEMBER\ng (ann bob)\n"
    .. "everybody (all)\nEnd UserGroup\n", "Begin Limit\n" .. lines .. "\nEnd Limit\n")
  return plan.limits, notes, made
end

--- Slots that are started, by user, of users who each ask for ten times one.
local function started(plan, names)
  local jobs, out = {}, {}
  for _, name in ipairs(names) do
    for i = 1, 10 do
      jobs[#jobs + 1] = { id = name .. i, queue = "q", slots = 1, user = name }
      out[name] = 0
    end
  end
  local state = assert(allot.state(plan, json.encode { now = 1000, jobs = jobs }))
  for _, start in ipairs(json.decode(assert(allot.cycle(plan, state)):json()).starts) do
    local name = start.job:match "^%a+"
    out[name] = out[name] + 1
  end
  return out
end

describe("allot import of users", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  it("MAX_JOBS and JL/P are limits of a user, or of a group as a whole", function ()
    local plan, notes = users("ann 6 -\ng 8 1\ncy - -", "g (bob dan)")
    assert.same({
      { name = "MAX_JOBS of ann", users = { "ann" }, slots = 6 },
      { name = "MAX_JOBS of g", users = { "g" }, slots = 8 },
      { name = "JL/P of g", users = { "g" }, per_host = true, slots_per_processor = 1 },
    }, plan.limits)
    assert.equal("", notes)
  end)

  it("group@ is of each user in the group, P-23: four each, not four together", function ()
    local plan, notes, made = users("g@ 4 - -", "inner (bob)\ng (ann inner)")
    assert.same({ { name = "MAX_JOBS of g@", per_user = { "g" }, slots = 4 } }, plan.limits)
    assert.equal("", notes)
    assert.same({ ann = 4, bob = 4, eve = 10 }, started(made, { "ann", "bob", "eve" }))
  end)

  it("default is of each user and group without a row of its own", function ()
    local plan, notes, made = users("ann 6 - -\ng@ 5 - -\nh 9 - -\ncy - - -\ndefault 2 - -",
      "g (bob)\nh (dan eve)\nk (ann fay)")
    local limits = plan.limits
    assert.same({ name = "MAX_JOBS of default", slots = 2,
      per_user = { "all", "~ann", "~g", "~cy" } }, limits[#limits - 1])
    assert.same({ name = "MAX_JOBS of default, of groups", slots = 2,
      per_group = { "all", "~g", "~h" } }, limits[#limits])
    assert.equal("", notes)
    -- ann has 6, but her group k has 2, which fay finds used; dan and eve are of h, with two each.
    assert.same({ ann = 2, bob = 5, cy = 10, dan = 2, eve = 2, fay = 0, guy = 2 },
      started(made, { "ann", "bob", "cy", "dan", "eve", "fay", "guy" }))
  end)

  it("default alone is of everybody", function ()
    local plan, _, made = users "default 3 1 -"
    assert.same({ { name = "MAX_JOBS of default", per_user = true, slots = 3 },
      { name = "JL/P of default", per_user = true, per_host = true, slots_per_processor = 1 } },
      plan.limits)
    assert.same({ ann = 3, bob = 3 }, started(made, { "ann", "bob" }))
  end)

  it("what a plan cannot say is noted where it stands", function ()
    for row, says in pairs {
      ["ann 5 - 100"] = ":3:9: note: MAX_PEND_JOBS is not carried over: a plan does not count",
      ["ann 5 0.5"] = ":3:7: note: JL/P = 0.5: what is not whole on a host is rounded up",
      ["ann x - -"] = ":3:5: note: MAX_JOBS = x: no whole number",
      ["ann -5 - -"] = ":3:5: note: MAX_JOBS = -5: out of range",
      ["ann 5 -1 -"] = ":3:7: note: JL/P = -1: no number from 0",
      ["g@ 5 - -"] = ":3:1: note: g@ is not carried over: no UserGroup says who",
      ["all 5 - -"] = ":3:1: note: all is not carried over: LSF has a name here",
      ["~ann 5 - -"] = ":3:1: note: ~ann is not carried over: LSF has a name here",
      ["- 5 - -"] = ":3:1: note: this row names nobody",
      ["default 5 - -\ndefault 3 - -"] = ":4:1: note: default is stated again; the least holds",
    } do
      local plan, notes = users(row)
      assert.truthy(notes:find("lsb.users" .. says, 1, true), row .. ": " .. notes)
      assert.is_true(#(plan.limits or {}) <= 2)
    end
  end)

  it("groups less some users are groups; what is of `all` is lost, and what names it", function ()
    local plan, notes = users("whole 5 - -\nwhole@ 5 - -\nouter 5 - -\nless 5 - -",
      "g (ann bob)\nless (g cy ~bob)\nfewer (less cy ~g)\nwhole (all ~ann)\nouter (eve whole)\n"
      .. "egroup (!)\nearly (g ~late)\nlate (ann)\nnone (ann ~ann)")
    assert.same({ g = { "ann", "bob" }, less = { "ann", "cy" }, fewer = { "cy" },
      late = { "ann" } }, plan.user_groups)
    assert.same({ { name = "MAX_JOBS of less", users = { "less" }, slots = 5 } }, plan.limits)
    for _, says in ipairs {
      "6:7: note: whole is not carried over: 'all'", "8:8: note: egroup is not carried over: '!'",
      "7:7: note: outer is not carried over: a group in it is not",
      "9:7: note: early is not carried over: the group 'late' is not stated before it",
      "11:1: note: none has no members", "16:1: note: whole@ is not carried over: its group is not",
      "15:1: note: whole is not carried over: the group is not",
      "17:1: note: outer is not carried over: the group is not",
    } do
      assert.truthy(notes:find("lsb.users:" .. says, 1, true), says .. ": " .. notes)
    end
  end)

  it("groups in a circle, or very many inside of each other, end", function ()
    local rows = { "a (b ~x)", "b (a ~x)", "g0 (u0)" }
    for i = 1, 3000 do rows[#rows + 1] = ("g%d (g%d u%d ~u0)"):format(i, i - 1, i) end
    lsf.put("deep", "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\n" .. table.concat(rows, "\n")
      .. "\nEnd UserGroup\n")
    lsf.put("queue", "Begin Queue\nQUEUE_NAME = q\nEnd Queue\n")
    local _, notes, code = lsf.import { "deep", "queue" }
    assert.equal(0, code)
    assert.truthy(notes:find "deep:3:3: note: a is not carried over")
    assert.truthy(notes:find "too many groups inside of groups")
  end)
end)

describe("allot import of limits", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  it("P-23: of all users but some, each or together", function ()
    local limits, notes, made, _ = limit "PER_USER = all ~ann\nSLOTS = 3"
    assert.same({ { name = "limit2", per_user = { "all", "~ann" }, slots = 3 } }, limits)
    assert.equal("lsb.users:4:11: note: everybody is not carried over: 'all': "
      .. "a plan's groups are of users by name\n", notes)
    assert.same({ ann = 10, bob = 3, cy = 3 }, started(made, { "ann", "bob", "cy" }))
    limits, _, made = limit "USERS = all ~g\nSLOTS = 3"
    assert.same({ "all", "~g" }, limits[1].users)
    assert.same({ ann = 10, bob = 10, cy = 3, dan = 0 },
      started(made, { "ann", "bob", "cy", "dan" }))
    limits, _, made = limit "PER_USER = g cy ~bob\nSLOTS = 3"
    assert.same({ "g", "cy", "~bob" }, limits[1].per_user)
    assert.same({ ann = 3, bob = 10, cy = 3, dan = 10 },
      started(made, { "ann", "bob", "cy", "dan" }))
  end)

  it("of all queues and hosts but some", function ()
    local limits = limit "QUEUES = all ~r\nPER_HOST = all ~h1\nSLOTS = 3"
    assert.same({ { name = "limit2", queues = { "all", "~r" }, per_host = { "all", "~h1" },
      slots = 3 } }, limits)
  end)

  it("in a table `-` and () are all, and each where the limit is of each", function ()
    local limits = limit "NAME USERS QUEUES PER_HOST SLOTS\na - () - 5\nb (ann) q () 6"
    assert.same({ { name = "a", per_host = true, slots = 5 },
      { name = "b", users = { "ann" }, queues = { "q" }, per_host = true, slots = 6 } }, limits)
  end)

  for lines, says in pairs {
    ["USERS = everybody\nSLOTS = 3"] = "3:9: note: 'everybody': this group is not carried over",
    ["USERS = ~all\nSLOTS = 3"] = "3:9: note: '~all': LSF has a name here",
    ["USERS = ann\nPER_USER = bob\nSLOTS = 3"] = "PER_USER stands beside USERS",
    ["SLOTS_PER_PROCESSOR = 1\nHOSTS = h1"] = "SLOTS_PER_PROCESSOR is of each host",
    ["QUEUES = nowhere ~q\nSLOTS = 3"] = "3:10: note: 'nowhere' is no queue of these files",
    ["HOSTS = h1@other ~h2\nSLOTS = 3"] = "3:9: note: 'h1@other' is of another cluster",
    ["RESOURCE = [lic, 3]"] = "3:12: note: RESOURCE is not carried over: a plan's limits are of",
  } do
    it("is not of " .. lines:gsub("\n", ", "), function ()
      local limits, notes = limit(lines:gsub("^", "NAME = it\n"))
      assert.is_nil(limits)
      assert.truthy(notes:find(says, 1, true), notes)
      assert.truthy(notes:find("lsb.resources:2:1: note: it is not carried over", 1, true), notes)
    end)
  end
end)
