-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import`: a plan of LSF's files; every line that is not carried over is noted where it
--- stands, and what is printed is a plan (rules.md P-1, P-41, Q-1 to Q-5, L-1).

local allot = require "allot"
local json = require "dkjson"
local lsf = require "spec.support.cases.lsf"
local site = require "spec.support.cases.lsf_site"

local import, plan_of, put = lsf.import, lsf.plan_of, lsf.put
local FILES = { "queues", "params", "hosts", "users", "resources", "applications" }

local function queue_of(lines, hosts)
  return plan_of {
    ["lsb.queues"] = "Begin Queue\nQUEUE_NAME = q\n" .. lines .. "\nEnd Queue\n"
      .. "Begin Queue\nQUEUE_NAME=low\nPRIORITY=0\nEnd Queue\nBegin Queue\nQUEUE_NAME=mid\n"
      .. "PRIORITY=1\nEnd Queue\nBegin Queue\nQUEUE_NAME=top\nPRIORITY=9\nEnd Queue\n",
    ["lsb.hosts"] = hosts,
  }
end

describe("allot import", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  local function whole(...)
    local names = {}
    for i, name in ipairs(FILES) do
      names[i] = "lsb." .. name
      put(names[i], site[name])
    end
    return import(names, ...)
  end

  it("prints a plan of a whole site that is valid and runs", function ()
    local text, _, code = whole()
    assert.equal(0, code)
    local plan = assert(allot.plan(text))
    local state = assert(allot.state(plan, [[{"now": 1000, "jobs": [
      {"id": "n", "queue": "normal", "slots": 2, "user": "user1"},
      {"id": "o", "queue": "owners", "slots": 3, "user": "user2", "app": "fluent"}]}]]))
    local decision = json.decode(assert(allot.cycle(plan, state)):json())
    assert.equal(2, #decision.starts)
    assert.equal("o", decision.starts[1].job)
  end)

  it("carries over what a plan can say", function ()
    local plan = json.decode((whole()))
    assert.same({ use = "preemption", preempt_for = "MINI_JOB LEAST_RUN_TIME" }, plan.policy)
    assert.same({ max_job_preempt = 3, hist_hours = 2 }, plan.params)
    assert.same({ hostA = { slots = 4, jl_u = 2 }, hostB = { slots = 8 }, hostC = { slots = 1 },
      hostD = { slots = 16 }, elsewhere = { slots = 1 }, nowhere = { slots = 1 } }, plan.hosts)
    assert.same({ groupA = { "hostA", "hostD" }, groupB = { "groupA", "~hostA", "hostB" },
      groupC = { "elsewhere" } }, plan.host_groups)
    assert.same({ grpA = { "user1", "user2", "user3" } }, plan.user_groups)
    assert.same({ fluent = { max_job_preempt = 1, runlimit = 480 } }, plan.applications)
    assert.same({
      { name = "owners", priority = 43, preemption = "PREEMPTIVE[normal+2 short night]",
        fairshare = true, hosts = { "hostA", "hostB", "~hostC", "nowhere" } },
      { name = "normal", priority = 30, qjob_limit = 60, ujob_limit = 5, pjob_limit = 1.5,
        runlimit = 240, preemption = "PREEMPTABLE[owners]", terminate_when = { "PREEMPT" } },
      { name = "short", priority = 35, runlimit = 15, no_preempt_run_time = "50%",
        job_controls = { suspend = "requeue" }, hosts = { "all", "~hostA" } },
      { name = "night" },
    }, plan.queues)
    assert.same({
      { name = "MAX_JOBS of user1", users = { "user1" }, slots = 4 },
      { name = "JL/P of user1", users = { "user1" }, per_host = true, slots_per_processor = 1 },
      { name = "develop", users = { "grpA" }, hosts = { "hostA", "hostB" }, slots = 5 },
      { name = "limit11", per_user = { "all", "~user1" }, queues = { "night" }, slots = 20 },
      { name = "limit12", per_user = { "user1" }, queues = { "normal" }, hosts = { "hostA" },
        slots = 4 },
      { name = "limit14", per_user = true, jobs = 7 },
    }, plan.limits)
    assert.same({
      { name = "export1", provider = "local", per_host = { "hostA", "hostB" }, slots = 2,
        type = "shared", distribution = { { "C1", 1 } }, reclaim_delay = 300 },
      { name = "export2", provider = "local", res_select = "type==LINUX", nhosts = 1,
        type = "exclusive", distribution = { { "C1", 30 }, { "C2", 70 } }, reclaim_delay = 300 },
    }, plan.leases)
  end)

  it("notes every other line where it stands, file by file, and nothing else", function ()
    local _, notes = whole()
    local told = {}
    for line in notes:gmatch "[^\n]+" do told[#told + 1] = line end
    local at = 0
    for _, file in ipairs(FILES) do
      local expected = site.notes[file]
      table.sort(expected, function (a, b)
        if a[1] ~= b[1] then return a[1] < b[1] end
        return a[2] < b[2]
      end)
      for _, it in ipairs(expected) do
        at = at + 1
        local place = ("lsb.%s:%d:%d: note: "):format(file, it[1], it[2])
        assert.equal(place, (told[at] or ""):sub(1, #place))
      end
      for _, it in ipairs(expected) do assert.truthy(notes:find(it[3], 1, true), it[3]) end
    end
    assert.equal(at, #told, told[at + 1])
  end)

  it("--format json is one document with plan and notes", function ()
    local text, rest, code = whole "--format json"
    assert.same({ 0, "" }, { code, rest })
    local document = assert(json.decode(text))
    assert.equal("allot/import/v1", document.schema)
    assert.equal(4, #document.plan.queues)
    assert.same({ file = "lsb.queues", line = 7, col = 16,
      message = "INTERACTIVE is not carried over" }, document.notes[1])
  end)

  for text, expected in pairs {
    ["PREEMPTIVE"] = "PREEMPTIVE", ["PREEMPTIVE[low+1 mid]"] = "PREEMPTIVE[low+1 mid]",
    ["PREEMPTIVE [ low+1   mid ]  PREEMPTABLE[top]"] =
      "PREEMPTIVE[low+1 mid] PREEMPTABLE[top]",
    ["PREEMPTABLE"] = "PREEMPTABLE",
    ["PREEMPTIVE[low+3 \\\n   mid] \\\n PREEMPTABLE"] = "PREEMPTIVE[low+3 mid] PREEMPTABLE",
  } do
    it("P-1: PREEMPTION = " .. text:gsub("\n", " "), function ()
      local plan, notes = queue_of("PRIORITY = 5\nPREEMPTION = " .. text)
      assert.same({ expected, "" }, { plan.queues[1].preemption, notes })
    end)
  end

  it("Q-1 to Q-5: pools choose queue_pool", function ()
    local plan, notes = queue_of("SLOT_POOL = poolA\nSLOT_SHARE = 50\nMAX_SLOTS_IN_POOL = 9\n"
      .. "USE_PRIORITY_IN_POOL = Y\nHOSTS = g", "Begin Host\nHOST_NAME MXJ\nh1 4\nh2 4\nEnd Host\n"
      .. "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\ng (h1 h2)\nEnd HostGroup\n")
    assert.same({ "queue_pool", "" }, { plan.policy, notes })
    assert.same({ name = "q", slot_pool = "poolA", slot_share = 50, max_slots_in_pool = 9,
      use_priority_in_pool = true, hosts = { "g" } }, plan.queues[1])
  end)


  describe("of hostile files", function ()
    local MANY = 200000
    for name, text in pairs {
      ["bytes of any kind"] = ("\0\255\1Begin Queue\nQUEUE_NAME = \xff\"\\\n\127[(\r"):rep(500),
      ["a line that goes on for ever"] = "Begin Queue\n" .. ("\\\n"):rep(MANY),
      ["blanks"] = "Begin Queue\nQUEUE_NAME = a" .. (" "):rep(10 * MANY) .. "b\nEnd Queue\n",
      ["brackets"] = "Begin HostExport\nDISTRIBUTION = " .. ("["):rep(5 * MANY),
      ["parentheses"] = "Begin Host\nHOST_NAME MXJ\n" .. ("("):rep(MANY) .. "\nEnd Host\n",
      ["actions"] = "Begin Queue\nJOB_CONTROLS = " .. ("SUSPEND["):rep(MANY) .. "\nEnd Queue\n",
      ["beginnings"] = ("Begin Queue\n"):rep(MANY // 10), ["lines of nothing"] = ("a\n"):rep(MANY),
    } do
      it(name .. " neither crash nor hang it, nor flood its notes", function ()
        put("hostile", text)
        local out, notes, code = import { "hostile" }
        assert.is_true(code == 0 or code == 3 and out == "")
        assert.truthy(code == 3 or json.decode(out))
        assert.truthy(utf8.len(out) and utf8.len(notes))
        assert.is_true(select(2, notes:gsub("\n", "")) <= 10001)
      end)
    end
  end)

  it("P-42, P-36: resources of the whole cluster, and those that are preempted for", function ()
    local shared = "Begin ResourceMap\nRESOURCENAME LOCATION\nlic 5@[all]\ntmp 9@[hostA]\n"
      .. "End ResourceMap\n"
    local function of(params)
      return plan_of {
        ["lsb.queues"] = "Begin Queue\nQUEUE_NAME = q\nEnd Queue\n", ["lsf.cluster"] = shared,
        ["lsb.params"] = "Begin Parameters\n" .. params .. "\nEnd Parameters\n",
      }
    end
    local plan, notes = of "PREEMPTABLE_RESOURCES = lic mem\nPREEMPTION_WAIT_TIME = 400"
    assert.same({ lic = 5 }, plan.resources)
    assert.same({ preemptable_resources = { "lic" }, preemption_wait_time = 400 }, plan.params)
    assert.truthy(notes:find("lsb.params:2:25: note: mem is not carried over", 1, true), notes)
    assert.truthy(notes:find("lsf.cluster:4:5: note: tmp is not carried over", 1, true), notes)
    plan, notes = of "PREEMPTABLE_RESOURCES = mem\nPREEMPTION_WAIT_TIME = 400"
    assert.is_nil(plan.params)
    assert.truthy(notes:find("lsb.params:3:24: note: PREEMPTION_WAIT_TIME", 1, true), notes)
    plan, notes = of "PREEMPTABLE_RESOURCES = lic\nPREEMPTION_WAIT_TIME = 299"
    assert.same({ preemptable_resources = { "lic" } }, plan.params)
    assert.truthy(notes:find("lsb.params:3:24: note: ", 1, true), notes)
  end)

  it("a file that is not there is an error of its own, and nothing is printed", function ()
    local text, notes, code = import { "lsb.nowhere" }
    assert.same({ "", 5 }, { text, code })
    assert.truthy(notes:find("lsb.nowhere", 1, true))
  end)

  it("needs a file", function ()
    assert.equal(2, select(3, import {}))
  end)
end)
