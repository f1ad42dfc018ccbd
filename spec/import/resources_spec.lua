-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of shared resources: which a plan can count, which may be preempted for, and what
--- keeps that from having an effect (rules.md P-36, P-42; IBM's lsf.shared, lsb.params).

local lsf = require "spec.support.cases.lsf"

local PREEMPTS = "Begin Queue\nQUEUE_NAME = high\nPRIORITY = 9\nPREEMPTION = PREEMPTIVE\n"
  .. "RES_REQ = select[mem>5] rusage[mem=5, lic=1]\nEnd Queue\n"
  .. "Begin Queue\nQUEUE_NAME = low\nTERMINATE_WHEN = PREEMPT\nEnd Queue\n"

--- The plan and the notes of everything that is about resources.
local function plan_of(of)
  return lsf.plan_of {
    ["lsb.queues"] = of.queues or PREEMPTS,
    ["lsb.params"] = "Begin Parameters\nPREEMPTABLE_RESOURCES = "
      .. (of.names or "lic") .. "\nEnd Parameters\n",
    ["lsb.resources"] = of.reserved and "Begin ReservationUsage\nRESOURCE METHOD RESERVE\n"
      .. of.reserved .. "\nEnd ReservationUsage\n" or "",
    ["lsf.cluster"] = "Begin ResourceMap\nRESOURCENAME LOCATION\n" .. (of.map or "lic 5@[all]")
      .. "\nEnd ResourceMap\n",
    ["lsf.shared"] = of.shared and "Begin Resource\nRESOURCENAME TYPE INCREASING RELEASE\n"
      .. of.shared .. "\nEnd Resource\n" or "",
  }
end

local function said(notes, words)
  assert.truthy(notes:find(words, 1, true), words .. " is not among:\n" .. notes)
end

describe("allot import of resources", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  it("P-42: what is of the whole cluster, preempted for by those who can: RES_REQ alone is noted",
    function ()
      local plan, notes = plan_of {}
      assert.same({ { lic = 5 }, { preemptable_resources = { "lic" } } },
        { plan.resources, plan.params })
      assert.equal("lsb.queues:5:11: note: RES_REQ is not carried over\n", notes)
    end)

  for where, why in pairs {
    ["5@[h1 h2]"] = "it is of some hosts alone", ["5@[default]"] = "it is of some hosts alone",
    ["(3@[h1] 2@[h2])"] = "it is of some hosts alone",
    ["5@[all ~h1]"] = "it is of some hosts alone",
    ["[all]"] = "how many there are, only an elim says", ["-"] = "its LOCATION is not stated",
    ["99999999999@[all]"] = "there are too many",
  } do
    it("a resource at " .. where .. " is noted: " .. why, function ()
      local plan, notes = plan_of { map = "lic " .. where }
      assert.same({}, { plan.resources, plan.params })
      said(notes, "lsf.cluster:3:5: note: lic is not carried over: a plan has numbers of the whole "
        .. "cluster, like 5@[all]; " .. why)
      said(notes, "lsb.params:2:25: note: lic is not carried over: no ResourceMap says how many")
    end)
  end

  it("P-42: what is not released, increases, or is no number is not preempted for", function ()
    for row, why in pairs {
      ["lic Numeric N N"] = "its jobs do not release it, as lsf.shared:3 says",
      ["lic Numeric Y Y"] = "it increases, as lsf.shared:3 says",
      ["lic Boolean () ()"] = "it is no number, as lsf.shared:3 says",
    } do
      local plan, notes = plan_of { shared = row }
      assert.is_nil(plan.params)
      assert.same({ lic = 5 }, plan.resources)
      said(notes, "lsb.params:2:25: note: lic is not carried over: " .. why)
    end
  end)

  it("RELEASE = Y is noted, as a plan's suspended jobs keep what they hold; N is what it does",
    function ()
      local plan, notes, _ = plan_of { shared = "lic Numeric N Y" }
      assert.same({ "lic" }, plan.params.preemptable_resources)
      said(notes, "lsf.shared:3:15: note: RELEASE = Y: a plan's suspended jobs keep")
      _, notes = plan_of { shared = "other Numeric N N" }
      assert.is_nil(notes:find("lsf.shared", 1, true))
      _, notes = plan_of { shared = "other Numeric N maybe\nmore String - -" }
      said(notes, "lsf.shared:3:17: note: RELEASE = maybe: neither Y nor N")
      said(notes, "lsf.shared:4:6: note: TYPE = String: a plan counts resources")
    end)

  it("P-42: PREEMPTABLE_RESOURCES without an effect is noted", function ()
    local low = "Begin Queue\nQUEUE_NAME = low\nEnd Queue\n"
    local _, notes = plan_of { queues = low }
    said(notes, "lsb.params:2:25: note: PREEMPTABLE_RESOURCES has no effect: no queue preempts")
    said(notes, "lsb.params:2:25: note: no queue or application asks for lic in its RES_REQ")
    _, notes = plan_of { queues = PREEMPTS:gsub("TERMINATE_WHEN = PREEMPT\n", "") }
    said(notes, "lsb.params:2:25: note: PREEMPTABLE_RESOURCES has no effect: no queue's jobs end")
    _, notes = plan_of { queues = PREEMPTS:gsub("TERMINATE_WHEN = PREEMPT\n",
      "JOB_CONTROLS = SUSPEND[brequeue $LSB_JOBID]\n") }
    assert.is_nil(notes:find("has no effect", 1, true))
    _, notes = plan_of { queues = PREEMPTS, names = "lic mem" }
    said(notes, "lsb.params:2:25: note: mem is not carried over: no ResourceMap says how many")
  end)

  it("ReservationUsage: jobs of a plan state what they hold in all", function ()
    local _, notes = plan_of { reserved = "lic PER_JOB -\nlic PER_HOST N\nlic - Y" }
    for line, says in pairs {
      [4] = "4:5: note: METHOD = PER_HOST: a plan's jobs state what they hold in all",
      [5] = "5:5: note: METHOD = -: a plan's jobs",
    } do
      said(notes, "lsb.resources:" .. says, line)
    end
    said(notes, "lsb.resources:4:14: note: RESERVE is not carried over")
    assert.is_nil(notes:find("lsb.resources:3:", 1, true))
  end)

  it("#INCLUDE, and what holds at some times alone, are noted; comments like them are not",
    function ()
      local _, notes = lsf.plan_of { ["lsb.queues"] = "#INCLUDE \"more\"\nBegin Queue\n"
        .. "QUEUE_NAME = q\n# if 18:00, or else\n#if time(18:30-19:30)\nPRIORITY = 5\n#else\n"
        .. "PRIORITY = 7\n#endif\n#included\nEnd Queue\n" }
      local lines = {}
      for line in notes:gmatch "[^\n]+" do lines[#lines + 1] = line:match "^lsb.queues:(%d+)" end
      assert.same({ "1", "5", "6", "7" }, lines)
      said(notes, "lsb.queues:1:1: note: #INCLUDE is not carried over")
      said(notes, "lsb.queues:6:12: note: PRIORITY is stated again in lsb.queues:8, which holds")
    end)
end)
