-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of YARN's queues, Capacity and Fair Scheduler. Plans and notes are by hand from
-- Hadoop's documentation.

local core = require "allot.core"
local import = require "spec.support.import.texts"
local shell = require "spec.support.house.shell"

local HEAD = "yarn.scheduler.capacity."

--- A configuration's text of "name = value" lines.
local function configuration(lines)
  local out = { '<?xml version="1.0"?>\n<configuration>\n' }
  for name, value in lines:gmatch "([^\n=]+) = ([^\n]*)" do
    out[#out + 1] = ("  <property><name>%s</name><value>%s</value></property>\n"):format(
      name:find "^root" and HEAD .. name or name, value)
  end
  return table.concat(out) .. "</configuration>\n"
end

-- Percentages, one node label, priorities: a property a line, from line 3 on.
local CAPACITY = configuration [[
root.queues =  prod , dev,default
root.ordering-policy = priority-utilization
prod.part = 60
root.prod.capacity = ${prod.part}
root.prod.maximum-capacity = 80
root.prod.priority = 10
root.prod.user-limit-factor = 2
root.dev.capacity = 37.5
root.dev.queues = eng,sci
root.dev.eng.capacity = 75
root.dev.eng.disable_preemption = true
root.dev.sci.capacity = 25
root.dev.sci.maximum-capacity = 50.0
root.default.capacity = 2.5
root.default.maximum-capacity = -1
root.default.state = stopped
root.accessible-node-labels = gpu
root.prod.accessible-node-labels = gpu
root.prod.accessible-node-labels.gpu.capacity = 30
root.dev.accessible-node-labels.gpu.capacity = 70
root.dev.sci.accessible-node-labels.gpu.capacity = 100
root.gone.capacity = 5
yarn.scheduler.capacity.queue-mappings = u:ann:sci,g:ops:prod
]]
local SITE = configuration [[
yarn.resourcemanager.scheduler.class = CapacityScheduler
yarn.resourcemanager.scheduler.monitor.enable = true
yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill = 30000
yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round = 0.2
]]
-- maximum-capacity is of the parent: 80 % of 200, 50 % of 100 % of 200.
local CAPACITY_PLAN = [[{
  "version": 1,
  "policy": "share_ratio",
  "consumers": [
    {"name": "prod", "grace": 30},
    {
      "name": "dev",
      "rank": 10,
      "children": [
        {"name": "eng", "grace": 30},
        {"name": "sci", "grace": 30}
      ]
    },
    {"name": "default", "rank": 10, "grace": 30}
  ],
  "groups": {
    "default": {
      "slots": 200,
      "consumers": {
        "/prod": {"share": 24, "limit": 160},
        "/dev": {"share": 15},
        "/dev/eng": {"share": 3},
        "/dev/sci": {"share": 1, "limit": 100},
        "/default": {"share": 1}
      }
    },
    "gpu": {
      "slots": 20,
      "consumers": {
        "/prod": {"share": 3},
        "/dev": {"share": 7},
        "/dev/eng": {"share": 0},
        "/dev/sci": {"share": 1},
        "/default": {"share": 0}
      }
    }
  }
}]]
local CAPACITY_NOTES = {
  "a:9: note: root.prod: user-limit-factor is not carried over: a plan does not divide among users "
    .. "of a queue",
  "a:13: note: root.dev.eng: disable_preemption is not carried over",
  "a:18: note: root.default: state STOPPED is not carried over",
  "a:22: note: root.dev has no accessible-node-labels of its own: it has those of root",
  "a:24: note: root.gone is not carried over: it is in no list of queues",
  "a:25: note: queue-mappings is not carried over (--map says it for logs)",
  "b:6: note: total_preemption_per_round is not carried over: it is of the cluster, most_reclaimed "
    .. "of a consumer",
}
local WEIGHTS = configuration [[
root.queues = alpha,beta,gamma
root.alpha.capacity = 3w
root.beta.capacity = 1.5w
root.gamma.capacity = 0.25w
root.alpha.queues = one,two
root.alpha.one.capacity = 90
root.alpha.two.capacity = 10
]]
local WEIGHTS_PLAN = [[{
  "version": 1,
  "slots": 100,
  "policy": {"use": "share_ratio", "reclaim_shared": false},
  "consumers": [
    {"name": "alpha", "share": 12, "children": [
      {"name": "one", "share": 9}, {"name": "two", "share": 1}]},
    {"name": "beta", "share": 6},
    {"name": "gamma", "share": 1}
  ]
}]]
local ABSOLUTE = configuration [[
root.queues = etl,adhoc
root.capacity = [memory=409600,vcores=100]
root.etl.capacity = [memory=262144, vcores=60]
root.etl.maximum-capacity = [memory=327680,vcores=80]
root.adhoc.capacity = [memory=65536,vcores=30]
]]
local ABSOLUTE_PLAN = [[{
  "version": 1,
  "slots": 100,
  "policy": "hybrid",
  "consumers": [
    {"name": "etl", "owned": 60, "limit": 80},
    {"name": "adhoc", "owned": 30}
  ]
}]]

local FAIR = [[
<?xml version="1.0"?>
<allocations>
  <queue name="root">
    <queue name="prod">
      <weight>40.0</weight>
      <maxResources>vcores=75%, memory-mb=75%</maxResources>
      <queue name="reports"/>
      <pool name="loads"><weight>2.5</weight><maxResources>20000 mb, 60 vcores</maxResources></pool>
    </queue>
    <queue name="dev" type="parent">
      <weight>60.0</weight>
      <maxChildResources>40960 mb,10vcores</maxChildResources>
      <allowPreemptionFrom>false</allowPreemptionFrom>
    </queue>
    <queue name="scavenge"><weight>0</weight><schedulingPolicy>fifo</schedulingPolicy></queue>
  </queue>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queuePlacementPolicy><rule name="specified"/></queuePlacementPolicy>
</allocations>
]]
local FAIR_PLAN = [[{
  "version": 1,
  "slots": 200,
  "policy": {"use": "share_ratio", "adjust_share_to_workload": true, "reclaim_shared": false},
  "consumers": [
    {
      "name": "prod",
      "share": 2000,
      "limit": 150,
      "children": [
        {"name": "reports", "share": 2},
        {"name": "loads", "share": 5, "limit": 60}
      ]
    },
    {"name": "dev", "share": 3000},
    {"name": "scavenge", "share": 1}
  ]
}]]
local FAIR_NOTES = {
  "a:12: note: root.dev: maxChildResources 40960 mb,10vcores is not carried over: queues that come "
    .. "up by themselves are no part of a plan",
  "a:13: note: root.dev: allowPreemptionFrom false is not carried over",
  "a:15: note: root.scavenge: schedulingPolicy fifo is not carried over",
  "a:15: note: scavenge has weight 0: it runs when no other wants slots; its siblings' shares are "
    .. "taken times 1000, its own is 1",
  "a:17: note: queueMaxAMShareDefault is not carried over",
  "a:18: note: defaultQueueSchedulingPolicy drf is not carried over: slots are of one kind "
    .. "(--slot)",
  "a:19: note: userMaxAppsDefault is not carried over",
  "a:20: note: queuePlacementPolicy is not carried over (--map says it for logs)",
}
local LEAST = [[
<allocations>
  <queue name="prod"><minResources>80000 mb,40 vcores</minResources><weight>1</weight></queue>
  <queue name="dev"><minResources>vcores=10, memory-mb=20000</minResources><weight>3</weight>
  </queue>
  <queue name="rest"><maxResources>10%</maxResources></queue>
</allocations>
]]
local LEAST_PLAN = [[{
  "version": 1,
  "slots": 100,
  "policy": {"use": "ownership", "reclaim_shared": false},
  "consumers": [
    {"name": "prod", "owned": 40, "lend": true, "borrow": true},
    {"name": "dev", "owned": 10, "share": 3, "lend": true, "borrow": true},
    {"name": "rest", "limit": 10, "borrow": true}
  ]
}]]

describe("YARN's queues", function ()
  local folder

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  local function plan_of(texts, ...)
    local plan, notes = import.plan(folder, texts, ...)
    return plan, import.lines(notes)
  end
  local function refused(texts, why, ...) import.refused(folder, why, texts, ...) end

  it("of percent are shares, with labels as groups, ranks and grace", function ()
    local plan, notes = plan_of({ CAPACITY, SITE }, "--slots", "200", "--slots", "gpu=20")
    assert.same(core.decode(CAPACITY_PLAN), plan)
    assert.same(CAPACITY_NOTES, notes)
    refused({ CAPACITY, SITE }, "--slots gpu=N says how many slots the label gpu has", "--slots",
      "9")
  end)

  it("of weights are whole shares, of absolute capacity owned slots", function ()
    assert.same(core.decode(WEIGHTS_PLAN), (plan_of(WEIGHTS, "--slots", "100")))
    assert.same(core.decode(ABSOLUTE_PLAN), (plan_of(ABSOLUTE)))
    local plan = plan_of(ABSOLUTE, "--slot", "memory")
    assert.same({ 409600, 262144, 327680 },
      { plan.slots, plan.consumers[1].owned, plan.consumers[1].limit })
    refused(WEIGHTS, "--slots says how large the cluster is: queues do not")
  end)

  it("have the last of a property that is not final, and settings beside", function ()
    local plan = plan_of({ (configuration "root.queues = a,b\nroot.a.capacity = 30\n"
      .. ""):gsub("</configuration>", [[
<property name="yarn.scheduler.capacity.root.b.capacity" value="70"/>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>${x}</value></property>
<property><name>x</name><value>20</value><final>true</final></property>
<property><name>x</name><value>30</value></property>
<property><name>yarn.scheduler.capacity.legacy-queue-mode.enabled</name><value>false</value>
</property></configuration>]]),
      configuration("yarn.resourcemanager.scheduler.monitor.enable = true\n"
        .. "yarn.resourcemanager.monitor.capacity.preemption."
        .. "preemption-to-balance-queue-after-satisfied.enabled = true\n") }, "--slots", "9")
    assert.same({ 2, 7 }, { plan.consumers[1].share, plan.consumers[2].share })
    assert.same({ use = "share_ratio", adjust_share_to_workload = true }, plan.policy)
    assert.equal(15, plan.consumers[1].grace)
  end)

  it("of the Fair Scheduler are shares, or own their minimum", function ()
    local plan, notes = plan_of(FAIR, "--slots", "200")
    assert.same(core.decode(FAIR_PLAN), plan)
    assert.same(FAIR_NOTES, notes)
    assert.same(core.decode(LEAST_PLAN), (plan_of(LEAST, "--slots", "100")))
    plan = plan_of({ FAIR, configuration "yarn.scheduler.fair.preemption = true" }, "--slots",
      "200")
    assert.is_nil(plan.policy.reclaim_shared)
  end)

  it("are refused where the tree is not known", function ()
    local function of(lines) return configuration(lines) end
    for text, why in pairs {
      [of "root.queues = a,b\nroot.a.capacity = 70\nroot.b.capacity = 40"]
        = ":3:3: error: the capacities of root's queues are 110 in sum, allowed 100",
      [of "root.queues = a,b\nroot.a.capacity = 2w\nroot.b.capacity = 40"]
        = ":5:3: error: root.b's capacity is in percent, that of root.a before it a weight",
      [of "root.queues = a,a\nroot.a.capacity = 100"] = ":3:3: error: root lists a twice",
      [of "root.queues = a\nroot.a.capacity = x"] = ":4:3: error: root.a: capacity x, allowed 0",
      [of "root.capacity = 100"] = "no queues: yarn.scheduler.capacity.root.queues lists them",
      ['<allocations>\n<queue name="root"/>\n<queue name="beside"/>\n</allocations>\n']
        = ":3:1: error: no queue may stand beside root",
      ['<allocations>\n<queue name="a.b"/>\n</allocations>\n']
        = ":2:1: error: a.b: a queue's name has no period",
      ["<allocations>\n<queue/>\n</allocations>\n"] = ":2:1: error: a queue has no name",
      ['<allocations><queue name="a"><weight>w</weight></queue></allocations>']
        = "root.a: weight w is no number of at most six decimals",
      ['<!DOCTYPE allocations [<!ENTITY b "x">]>\n<allocations><queue name="&b;"/></allocations>']
        = ":1:23: error: a document type declaration is not read",
      ["<allocations>\n<queue>\n</allocations>\n"] = ":3:3: error: mismatched tag",
      ["<allocations>" .. ("<queue name='q'>"):rep(70)] = "error: elements are nested too deep",
    } do
      refused(text, why, "--slots", "9")
    end
  end)
end)
