-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of Kueue's objects. Plans and notes are by hand from its types' documentation.

local core = require "allot.core"
local heard = require "spec.support.house.heard"
local import = require "spec.support.import.texts"
local shell = require "spec.support.house.shell"
local tool = require "allot.import.tool"

local FLAT = [[
# Two queues of one cohort and one alone, as kubectl writes them: documents behind ---, and a List.
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: team-a
spec:
  cohort: research            # v1beta1; cohortName in v1beta2
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: ["cpu", "memory"]
    flavors:
    - name: default
      resources:
      - name: cpu
        nominalQuota: 40
        borrowingLimit: "10"
        lendingLimit: 30
      - name: memory
        nominalQuota: 160Gi
  preemption:
    reclaimWithinCohort: Any
    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}
    withinClusterQueue: LowerPriority
---
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: ClusterQueue
  metadata: {name: team-b.ml}
  spec:
    cohort: research
    resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
      - name: default
        resources:
        - {name: cpu, nominalQuota: 24}
        - {name: memory, nominalQuota: 96Gi}
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: ClusterQueue
  metadata: {name: 3rd-party}
  spec:
    stopPolicy: Hold
    resourceGroups:
    - coveredResources: [cpu]
      flavors:
      - name: default
        resources:
        - {name: cpu, nominalQuota: 8500m}
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: LocalQueue
  metadata: {name: main, namespace: lab}
  spec: {clusterQueue: team-a}
]]
local FLAT_PLAN = [[{
  "version": 1,
  "slots": 72,
  "policy": "ownership",
  "consumers": [
    {
      "name": "research",
      "owned": 64,
      "children": [
        {"name": "team-a", "owned": 40, "borrow": ["/research/team-b_ml"], "borrow_limit": 10,
         "lend": ["/research/team-b_ml"], "lend_limit": 30},
        {"name": "team-b_ml", "owned": 24, "borrow": ["/research/team-a"],
         "lend": ["/research/team-a"]}
      ]
    },
    {"name": "q3rd-party", "owned": 8}
  ]
}]]
local FLAT_NOTES = {
  "a:22:9: note: team-a: memory is not carried over: the slots are cpu (--slot)",
  "a:26:5: note: team-a: borrowWithinCohort is not carried over",
  "a:27:5: note: team-a: withinClusterQueue is not carried over: a plan does not rank jobs of one "
    .. "consumer",
  "a:34:20: note: team-b.ml: reclaimWithinCohort is Never (the default), but in a plan owners call "
    .. "back what they lent",
  "a:34:20: note: team-b.ml becomes team-b_ml: names match [A-Za-z][A-Za-z0-9_-]{0,127}",
  "a:43:11: note: team-b.ml: memory is not carried over: the slots are cpu (--slot)",
  "a:46:20: note: 3rd-party becomes q3rd-party: names match [A-Za-z][A-Za-z0-9_-]{0,127}",
  "a:48:5: note: 3rd-party: stopPolicy Hold is not carried over",
  "a:54:37: note: 3rd-party: nominalQuota 8500m is no whole number of slots: 8",
  "a:55:3: note: LocalQueue lab/main is not carried over: its jobs are /research/team-a's",
}
local TREE = [[
# A tree of cohorts, two flavors, fair sharing (v1beta2: Kueue 0.15 and later).
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: org}
spec:
  resourceGroups:               # on top of what its queues have: a pool for all below it
  - coveredResources: [cpu]
    flavors:
    - name: on-demand
      resources: [{name: cpu, nominalQuota: 16}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: science}
spec:
  parentName: org
  fairSharing: {weight: "0.5"}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: on-demand
      resources: [{name: cpu, nominalQuota: 0, borrowingLimit: 20}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: chemistry}
spec:
  cohortName: science
  fairSharing: {weight: 2}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: on-demand
      resources: [{name: cpu, nominalQuota: 32}]
    - name: spot
      resources: [{name: cpu, nominalQuota: "48", borrowingLimit: 0}]
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: a100
      resources: [{name: nvidia.com/gpu, nominalQuota: 4}]
  preemption: {reclaimWithinCohort: Any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: biology}
spec:
  cohortName: science
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: on-demand
      resources: [{name: cpu, nominalQuota: 16}]
  preemption: {reclaimWithinCohort: Any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: ops}
spec:
  cohortName: org
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: on-demand
      resources: [{name: cpu, nominalQuota: 12, lendingLimit: 0}]
  preemption: {reclaimWithinCohort: LowerPriority}
]]
local TREE_PLAN = [[{
  "version": 1,
  "policy": "ownership",
  "consumers": [
    {
      "name": "org",
      "children": [
        {
          "name": "science",
          "children": [
            {"name": "chemistry", "share": 2},
            {"name": "biology"}
          ]
        },
        {"name": "ops", "share": 2}
      ]
    }
  ],
  "groups": {
    "on-demand": {
      "slots": 76,
      "consumers": {
        "/org": {"owned": 76},
        "/org/science": {"owned": 48, "limit": 68},
        "/org/science/chemistry": {"owned": 32, "borrow": true, "lend": true},
        "/org/science/biology": {"owned": 16, "borrow": true, "lend": true},
        "/org/ops": {"owned": 12, "borrow": true, "lend": true, "lend_limit": 0}
      }
    },
    "spot": {
      "slots": 48,
      "consumers": {
        "/org": {"owned": 48},
        "/org/science": {"owned": 48},
        "/org/science/chemistry": {"owned": 48, "borrow": true, "borrow_limit": 0, "lend": true},
        "/org/science/biology": {"limit": 0},
        "/org/ops": {"limit": 0}
      }
    }
  }
}]]
local TREE_NOTES = {
  "a:1:1: note: weights count in Kueue only where fair sharing is enabled in its Configuration",
  "a:22:19: note: science: borrowingLimit 20 is a limit of 48 + 20 in group on-demand",
  "a:40:19: note: chemistry: nvidia.com/gpu is not carried over: the slots are cpu (--slot)",
  "a:45:18: note: biology has no flavor spot: limit 0 there",
  "a:57:18: note: ops has no flavor spot: limit 0 there",
  "a:65:37: note: ops: reclaimWithinCohort LowerPriority is not carried over: whoever borrowed "
    .. "gives back",
}

--- A ClusterQueue's text; `rest` are more lines of its spec.
local function queue(name, quota, rest)
  return ([[
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %s}
spec:
  resourceGroups: [{flavors: [{name: f, resources: [{name: cpu, nominalQuota: %s}]}]}]
%s]]):format(name, quota, rest or "")
end

describe("Kueue's objects", function ()
  local folder

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  local function plan_of(text, ...) return import.plan(folder, text, ...) end
  local function refused(text, why) import.refused(folder, why, text) end

  it("are leaves that own their quota, and lend and borrow in their cohort", function ()
    local plan, notes = plan_of(FLAT)
    assert.same(core.decode(FLAT_PLAN), plan)
    assert.same(FLAT_NOTES, notes)
  end)

  it("are trees of cohorts, in a group for each flavor", function ()
    local plan, notes = plan_of(TREE)
    assert.same(core.decode(TREE_PLAN), plan)
    assert.same(TREE_NOTES, notes)
  end)

  it("are read as JSON, too", function ()
    local plan = plan_of [[{"apiVersion": "v1", "kind": "List", "items": [
      {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"},
       "spec": {"resourceGroups": [{"flavors": [{"name": "f", "resources": [
         {"name": "cpu", "nominalQuota": "1500m"}, {"name": "x", "nominalQuota": "7"}]}]}]}}]}]]
    assert.same({ version = 1, slots = 1, policy = "ownership",
                  consumers = { { name = "a", owned = 1 } } }, plan)
    plan = plan_of(queue("a", "{}"):gsub("{}", "3"), "--slots", "9")
    assert.equal(9, plan.slots)
  end)

  it("have amounts as Kubernetes writes them", function ()
    for text, slots in pairs { ["40"] = 40, ['"40"'] = 40, ["010"] = 10, ["8500m"] = 8, ["1.5"] = 1,
                               ["2k"] = 2000, ["1Ki"] = 1024, ["1e3"] = 1000, ["0.5Ki"] = 512 } do
      assert.equal(slots, plan_of(queue("a", text)).slots, text)
    end
    for text, why in pairs { ["1_000"] = "is no amount", ["09:30"] = "is no amount",
                             ["2G"] = "is above 1000000000 slots", ["-1"] = "is no amount" } do
      refused(queue("a", text), ":6:79: error: a: nominalQuota " .. text .. " " .. why)
    end
  end)

  it("keep what they borrow where no queue calls back", function ()
    local within = "  cohortName: c\n"
    local plan = plan_of(queue("a", "3", within) .. queue("b", "4", within))
    assert.same({ use = "ownership", reclaim_shared = false }, plan.policy)
    assert.equal(7, plan.consumers[1].owned)
    assert.is_true(plan.consumers[1].children[1].lend)
  end)

  it("of weight 0 come last", function ()
    local plan = plan_of(queue("a", "3", "  fairSharing: {weight: 0}\n") .. queue("b", "4"))
    assert.same({ 1, 1000 }, { plan.consumers[1].share or 1, plan.consumers[2].share })
  end)

  it("are read by the command alone, which reads YAML", function ()
    local said
    local code = tool.run({ read = function () return FLAT end,
                            say = function (finding) said = finding end }, { "it" })
    heard(said.message)
    assert.same({ 1, "files of Kueue are read by the command `allot import` alone" },
      { code, said.message })
  end)

  it("are refused where the tree is not known", function ()
    local cohort = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: %s}\n"
      .. "spec: {parentName: %s}\n"
    refused(cohort:format("a", "b") .. "---\n" .. cohort:format("b", "a"),
      ":4:20: error: cohort a is its own ancestor (a, b, a)")
    refused(queue("a", "3") .. "\t- x\n", "found character that cannot start any token")
    refused(queue("a", "3", "  x: &y 1\n  z: *y\n"),
      ":8:6: error: an alias is not read: write out what it stands for")
    refused(queue("a", "3", "  x: " .. ("["):rep(70) .. ("]"):rep(70) .. "\n"),
      "error: lists and maps are nested too deep")
    refused(queue("a", "3", "  fairSharing: {weight: heavy}\n"), "weight heavy is no number")
    refused((queue("a", "3"):gsub("nominalQuota: 3", "nominalQuota: 3, lendingLimit: 1")),
      "a: borrowingLimit and lendingLimit need a cohort")
    refused((queue("a", "3"):gsub("v1beta2", "v1alpha2")), "is too old: allowed v1beta1 and later")
    refused((queue("a", "3"):gsub("cpu", "gpu")), "no quota of cpu: nobody has slots (--slot)")
  end)
end)
