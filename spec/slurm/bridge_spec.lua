-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The bridge to Slurm, case by case, on a fake one.

local core = require "allot.core"
local fake = require "spec.support.slurm.fake"
local limit = require "allot.slurm.limit"
local read = require "allot.slurm.read"
local reason = require "allot.slurm.reason"
local site = require "allot.slurm.site"
local truth = require "allot.slurm.truth"
local victim = require "allot.slurm.victim"
local world = require "spec.support.slurm.world"

local PLAN = { version = 1, slots = 32, policy = "hybrid", consumers = core.list {
  { name = "a", owned = 16, grace = 4 }, { name = "b", owned = 12, grace = 4 },
  { name = "c", owned = 4, grace = 4 } } }

local function of_32(options, plan)
  local slurm = fake.new { nodes = 4, cpus = 8, accounts = { a = "root", b = "root", c = "root" } }
  return world.new(plan or PLAN, slurm, options), slurm
end

local function passes(it, count)
  local list = {}
  for _ = 1, count do
    for _, line in ipairs((it:pass())) do list[#list + 1] = line end
    it.slurm:tick(2)
  end
  return list
end

local function fill(slurm, account, jobs, more)
  for _ = 1, jobs do
    local job = { account = account, cpus = 4, run = 1000 }
    for key, value in pairs(more or {}) do job[key] = value end
    slurm:submit(job)
  end
end

local function row_of(it, path)
  for _, row in ipairs(it.decision.groups.default.consumers) do
    if row.path == path then return row end
  end
end

--- A world where c has borrowed all of 32 CPUs, with jobs of 4 that have `more`.
local function lent(options, more)
  local it, slurm = of_32(options)
  fill(slurm, "c", 8, more)
  passes(it, 2)
  return it, slurm
end

--- What a leaf demands where squeue lists one job.
local function demanded_by(job, path)
  local it, slurm = of_32()
  function slurm.squeue() return fake.line(job) end
  passes(it, 1)
  return row_of(it, path or "/a").demand
end

describe("the bridge", function ()
  it("tells of users for whom a consumer * stands", function ()
    local plan = { version = 1, slots = 32, policy = "share_ratio", consumers = core.list {
      { name = "a", children = core.list { { name = "*" } } }, { name = "b" } } }
    local it, slurm = of_32(nil, plan)
    fill(slurm, "a", 4, { user = "zoe" })
    fill(slurm, "a", 4, { user = "amy" })
    passes(it, 1)
    assert.equal(16, row_of(it, "/a/zoe").demand)
    assert.equal(16, row_of(it, "/a/amy").quota)
  end)

  it("gives owners their slots back within the grace and three seconds", function ()
    local it, slurm = lent()
    assert.equal(32, slurm:used "c")
    fill(slurm, "b", 3)
    local began = slurm.now
    repeat passes(it, 1) until slurm:used "b" == 12 or slurm.now > began + 60
    assert.is_true(slurm.now - began <= 4 + 2 * 2 + 3, slurm.now - began .. " s")
    assert.equal(3, slurm.requeued)
    assert.equal(20, slurm.accounts.c.limit)
  end)

  it("has leaves for users whom a wildcard stands for", function ()
    local it, slurm = of_32(nil, { version = 1, slots = 32, policy = "hybrid",
      consumers = core.list { { name = "a", owned = 16, grace = 4 },
        { name = "c", owned = 16, children = core.list { { name = "*", limit = 20 } } } } })
    fill(slurm, "c", 4, { user = "carol" })
    fill(slurm, "c", 4, { user = "eve" })
    passes(it, 3)
    assert.equal(32, slurm:used "c")
    assert.equal(16, row_of(it, "/c/carol").allocated)
    assert.equal(16, row_of(it, "/c/eve").allocated)
    fill(slurm, "a", 4)
    passes(it, 8)
    assert.equal(16, slurm:used "a")
    assert.equal(8, row_of(it, "/c/eve").allocated)
  end)

  it("lets owners' jobs start while it is down, and caps borrowers", function ()
    local it, slurm = of_32()
    fill(slurm, "c", 4)
    passes(it, 2)
    fill(slurm, "c", 8)
    fill(slurm, "a", 4)
    slurm:tick(60)
    assert.equal(16, slurm:used "a")
    assert.equal(16, slurm:used "c")
  end)

  it("finishes a reclaim that a bridge before it began, with one requeue a job", function ()
    local it, slurm = lent()
    fill(slurm, "b", 3)
    passes(it, 1)
    it:begin()
    passes(it, 6)
    assert.equal(12, slurm:used "b")
    assert.equal(3, slurm.requeued)
  end)

  it("changes nothing where nothing changed", function ()
    local it, slurm = of_32()
    fill(slurm, "a", 2)
    passes(it, 3)
    assert.same({}, passes(it, 5))
  end)

  it("names ceilings with the same amount in one command, and lowers before it raises", function ()
    local it, slurm = of_32()
    assert.same({ "sacctmgr -i -Q modify account where name=a set GrpTRES=cpu=16",
      "sacctmgr -i -Q modify account where name=b set GrpTRES=cpu=12",
      "sacctmgr -i -Q modify account where name=c set GrpTRES=cpu=4" }, passes(it, 1))
    for _, name in ipairs { "a", "b", "c" } do slurm.accounts[name].limit = 30 end
    slurm.accounts.c.limit = 1
    slurm.now = slurm.now + 60
    local list = passes(it, 1)
    assert.equal("sacctmgr -i -Q modify account where name=c set GrpTRES=cpu=4", list[3])
  end)

  it("requeues no more jobs a minute than it may", function ()
    local it, slurm = lent { ["most-requeues"] = "1" }
    fill(slurm, "b", 3)
    passes(it, 20)
    assert.equal(1, slurm.requeued)
    passes(it, 30)
    assert.equal(2, slurm.requeued)
  end)

  it("sends the signal at the order, and requeues at the deadline", function ()
    local it, slurm = lent { signal = "USR1" }
    fill(slurm, "b", 1)
    local list = passes(it, 5)
    local said = table.concat(list, "\n")
    local signal, requeue = said:find "scancel %-%-full %-%-signal=USR1 %d+", said:find "requeue"
    assert.is_true(signal ~= nil and requeue ~= nil and signal < requeue, said)
  end)

  it("prints commands in a dry run, decides by itself, and runs none", function ()
    local it, slurm = of_32 { ["dry-run"] = "" }
    it.bridge.service = false
    fill(slurm, "c", 2)
    slurm:tick(1)
    assert.same({}, passes(it, 1))
    assert.equal("sacctmgr -i -Q modify account where name=a set GrpTRES=cpu=16\n", it.notes[1])
    assert.is_nil(slurm.accounts.a.limit)
  end)

  it("releases held jobs when they are granted, where it holds", function ()
    local it, slurm = of_32 { hold = "" }
    fill(slurm, "c", 10, { held = true })
    passes(it, 3)
    assert.equal(32, slurm:used "c")
    assert.is_nil(slurm.accounts.c.limit)
  end)
end)

describe("demand", function ()
  local function demanded(job)
    local it, slurm = of_32()
    fill(slurm, "a", 1, job)
    slurm:tick(1)
    passes(it, 1)
    return row_of(it, "/a").demand
  end

  it("is none of a job that waits for another, or is held by its user", function ()
    local it, slurm = of_32()
    local first = slurm:submit { account = "a", cpus = 4, run = 1000 }
    slurm:submit { account = "a", cpus = 4, run = 1000, depends = first }
    slurm:submit { account = "a", cpus = 4, run = 1000, held = true }
    slurm:tick(1)
    passes(it, 1)
    assert.equal(4, row_of(it, "/a").demand)
  end)

  it("is that of the tasks of an array that may run at once", function ()
    assert.equal(40, demanded { array = 10 })
    assert.equal(8, demanded { array = 10, throttle = 2 })
  end)

  it("is that of whole nodes for a job alone, also with a start foretold", function ()
    assert.equal(16, demanded_by { state = "PENDING", reason = "Resources", started = 2000,
      tres = "cpu=4,node=2", shares = "NO" })
  end)

  it("is all that whole nodes have, also GPUs that the job does not ask for", function ()
    local nodes = assert(read.nodes(fake.node { partition = "gpus", gres = "gpu:2" }
      .. fake.node { name = "n2", partition = "gpus", gres = "gpu:a100:4(S:0-1)",
        cpus = "0/16/0/16" } .. fake.node { name = "n3", cpus = "0/2/0/2" }))
    local job = { partition = "gpus,batch", amounts = { node = 2, cpu = 1 } }
    for tres, amount in pairs { cpu = 16, ["gres/gpu"] = 4, mem = 0 } do
      assert.equal(amount, site.whole_nodes(nodes)(job, { tres = tres }), tres)
    end
    assert.equal(4, site.whole_nodes(nodes)(job, { tres = "cpu", partition = "batch" }))
  end)

  it("is none of a job in a reservation: its slots are the reservation's", function ()
    assert.equal(0, demanded_by { state = "PENDING", reason = "Resources", reservation = "r" })
    assert.equal(4, demanded_by { reservation = "r" })
  end)

  it("is none of a suspended job, whose CPUs are free", function ()
    assert.equal(0, demanded_by { state = "SUSPENDED" })
    local it = of_32 { slot = "mem", hold = "" }
    function it.slurm.squeue()
      return fake.line { state = "SUSPENDED", tres = "cpu=4,mem=16M,node=1" }
    end
    passes(it, 1)
    local row = row_of(it, "/a")
    assert.same({ 16, 16, 0 }, { row.demand, row.allocated, #it.truth.tasks })
  end)

  it("is that of all parts of a heterogeneous job at once", function ()
    local function parts(job)
      local text = ""
      for i = 0, 1 do
        job.name, job.number, job.het = "7+" .. i, 7 + i, 7
        job.tres = ("cpu=%d,node=1"):format(2 + i)
        text = text .. fake.line(job)
      end
      return text
    end
    local it, slurm = of_32()
    for state, more in pairs { PENDING = { reason = "Resources" }, RUNNING = {} } do
      more.state = state
      local text = parts(more)
      function slurm.squeue() return text end
      passes(it, 1)
      assert.equal(5, row_of(it, "/a").demand, state)
      assert.same({ "7", 5 }, { it.truth.tasks[1].id, it.truth.tasks[1].slots })
      assert.equal(1, #it.truth.tasks)
    end
  end)

  --- What /a demands of three partitions.
  local function demanded_there(text)
    local groups = {}
    for i, name in ipairs { "gpus", "batch", "other" } do
      groups[i] = { name = name, tres = "cpu", partition = name }
    end
    local out = assert(truth.of(text, {}, { groups = groups, leaves = { "/a" },
      is_leaf = { ["/a"] = true }, sizes = { 8, 8, 8 }, shared = {}, ceilings = {},
      consumer_of = function () return "/a" end, is_of = function () return true end,
      limits_of = limit.none, tags_of = function () return {} end }))
    return out.leaves["/a"].demand
  end

  it("is that of a job that waits for several partitions, in the first group of them", function ()
    assert.same({ 4, 0, 0 },
      demanded_there(fake.line { state = "PENDING", partition = "batch,gpus" }))
  end)

  it("is that of each part of a heterogeneous job in its partition", function ()
    assert.same({ 4, 0, 2 }, demanded_there(fake.line { name = "7+0", het = 7, partition = "gpus" }
      .. fake.line { name = "7+1", number = 8, het = 7, partition = "other", tres = "cpu=2" }
      .. fake.line { name = "7+2", number = 9, het = 7, partition = "unknown", tres = "cpu=1" }))
  end)

  it("is none of a job that is larger than the cluster, and of those behind it theirs", function ()
    local it, slurm = of_32()
    fill(slurm, "c", 8)
    passes(it, 2)
    slurm:submit { account = "a", cpus = 33, run = 1000, priority = 9000 }
    fill(slurm, "a", 2)
    passes(it, 8)
    assert.equal(8, row_of(it, "/a").demand)
    assert.equal(8, slurm:used "a")
  end)

  it("is that of jobs for which Slurm found no nodes, unless they name nodes", function ()
    for nodes, demand in pairs { [""] = 4, ["(null)"] = 4, n3 = 0, ["n[1-2]"] = 0 } do
      assert.equal(demand, demanded_by { state = "PENDING", nodes = nodes,
        reason = "ReqNodeNotAvail, UnavailableNodes:n1" }, nodes)
    end
  end)

  it("takes nothing from others for jobs that a limit of Slurm holds back", function ()
    local it, slurm = of_32()
    slurm.caps = { small = 8 }
    fill(slurm, "c", 8)
    passes(it, 2)
    fill(slurm, "a", 4, { qos = "small" })
    fill(slurm, "a", 4, { qos = "small", user = "v" })
    passes(it, 20)
    assert.equal(16, slurm:used "a")
    fill(slurm, "a", 4, { qos = "small", user = "v" })
    slurm.caps.small = 4
    slurm:tick(60)
    passes(it, 20)
    assert.equal(4, slurm.requeued)
    assert.equal(16, row_of(it, "/a").demand)
    assert.equal(16, slurm:used "c")
  end)

  it("stays while a requeued job waits for its time", function ()
    local it, slurm = lent()
    fill(slurm, "b", 3)
    passes(it, 4)
    assert.equal(32, row_of(it, "/c").demand)
  end)
end)

describe("a reason", function ()
  local CPU = reason.ceilings { { tres = "cpu" } }

  local function wants(word, more)
    local job = { reason = word, restarts = 0 }
    for key, value in pairs(more or {}) do job[key] = value end
    return reason.wants(job, CPU, more and more.hold)
  end

  it("says whether slots would start a job", function ()
    for _, word in ipairs { "None", "Resources", "Priority", "AssocGrpCpuLimit", "Cleaning",
      "ReqNodeNotAvail, Reserved for maintenance", "Nodes required for job are DOWN" } do
      assert.is_true(wants(word), word)
    end
    for _, word in ipairs { "AssocGrpGRES", "AssocGrpCPUMinutesLimit", "AssocMaxJobsLimit",
      "AssocGrpJobsLimit", "QOSMaxCpuPerUserLimit", "QOSGrpCpuLimit", "QOSUsageThreshold",
      "QOSMaxWallDurationPerJobLimit", "MaxCpuPerAccount", "Dependency", "Licenses",
      "Reservation", "BeginTime",
      "PartitionDown", "JobHeldAdmin", "BadConstraints", "JobArrayTaskLimit" } do
      local slots, unknown = wants(word)
      assert.falsy(slots, word)
      assert.falsy(unknown, word)
    end
    assert.is_true(wants("BeginTime", { restarts = 1 }))
    assert.is_true(wants("JobHeldUser", { hold = true }))
    assert.is_true(wants("JobArrayTaskLimit", { waiting = { throttle = 2 } }))
  end)

  it("that is not known wants none, which the status counts", function ()
    assert.same({ false, true }, { wants "MoonIsFull" })
    local it, slurm = of_32()
    function slurm.squeue() return fake.line { state = "PENDING", reason = "MoonIsFull" } end
    passes(it, 1)
    assert.equal(0, row_of(it, "/a").demand)
    local status = core.decode(it.written["plan.json.slurm"])
    assert.same({ MoonIsFull = 1 }, status.unknown_reasons)
  end)

  it("of a ceiling is that of the TRES that a slot is", function ()
    assert.same({ AssocGrpGRES = true, AssocGrpMemLimit = true },
      reason.ceilings { { tres = "gres/gpu:a100" }, { tres = "mem" } })
  end)
end)

describe("a ceiling", function ()
  it("has room for the account's jobs that are not its consumer's", function ()
    local it, slurm = of_32 { slot = "cpu@batch" }
    slurm.accounts.d = { parent = "a" }
    function slurm.squeue()
      return fake.line { name = "1" } .. fake.line { name = "2", partition = "debug" }
        .. fake.line { name = "3_[1-3]", array = "1-3", partition = "debug", state = "PENDING",
          tres = "cpu=2,node=1" }
        .. fake.line { name = "4", account = "d", partition = "debug", tres = "cpu=1,node=1" }
        .. fake.line { name = "5", partition = "debug", state = "PENDING", reason = "Dependency" }
    end
    passes(it, 1)
    assert.equal(16 + 4 + 6 + 1, slurm.accounts.a.limit)
    assert.equal(12, slurm.accounts.b.limit)
  end)
end)

describe("victims", function ()
  local function spared(job)
    local it, slurm = lent({}, job)
    fill(slurm, "a", 4)
    passes(it, 8)
    return slurm.requeued == nil
  end

  it("are none of srun, with --no-requeue, or in a reservation", function ()
    assert.is_true(spared { batch = false })
    assert.is_true(spared { requeue = false })
    assert.is_true(spared { reservation = "r" })
    assert.is_false(spared {})
  end)

  it("lose the least work, or are the fewest, as the plan says", function ()
    for preemption, count in pairs { most_recent = 4, fewest = 1 } do
      local plan = { version = 1, slots = 32, consumers = PLAN.consumers,
        policy = { use = "hybrid", preemption = preemption } }
      local it, slurm = of_32({}, plan)
      fill(slurm, "c", 1)
      passes(it, 1)
      fill(slurm, "c", 28, { cpus = 1 })
      passes(it, 2)
      fill(slurm, "b", 1)
      passes(it, 6)
      assert.equal(4, slurm:used "b")
      assert.equal(count, slurm.requeued, preemption)
    end
  end)

  it("are told why they go, by a bridge that may", function ()
    local function told(admin)
      local it, slurm = of_32()
      slurm.admin = admin
      fill(slurm, "c", 8)
      passes(it, 2)
      local said = {}
      for _, owner in ipairs { "b", "a" } do
        fill(slurm, owner, 1)
        for _, line in ipairs(passes(it, 4)) do
          if line:find "update" then said[#said + 1] = line end
        end
      end
      return said
    end
    local said = told(true)
    assert.truthy(said[1]:find("^scontrol update job=%d AdminComment=allot: goes at 1970%-01%-12T"))
    assert.truthy(said[1]:find(", /c gives back 4 to /b", 1, true))
    assert.equal(2, #said)
    assert.equal(1, #told(false))
  end)

  it("go also after a clock was set back, and no more than may", function ()
    local it, slurm = lent { ["most-requeues"] = "2" }
    fill(slurm, "b", 1)
    passes(it, 5)
    slurm.now = slurm.now - 3600
    for _, job in ipairs(slurm.jobs) do job.begins = 0 end
    fill(slurm, "a", 3)
    passes(it, 6)
    assert.equal(3, slurm.requeued)
  end)

  it("are told of which group they give", function ()
    local flights = { { group = "gpu", consumer = "/y", slots = 2, deadline = 60, tasks = { "7" },
      ["for"] = { { consumer = "/x", slots = 2 } } } }
    local due = victim.due(flights, { ["7"] = { state = "running", name = "7", submitted = 1 } },
      { victims = {}, times = {} }, 0, { most_requeues = 60 })
    assert.equal("allot: goes at 1970-01-01T00:01:00Z, /y gives back 2 gpu to /x",
      due.comments[1].text)
  end)

  it("are cancelled where the site says so", function ()
    local it, slurm = lent({ cancel = "" }, { requeue = false })
    fill(slurm, "a", 4)
    passes(it, 8)
    assert.equal(16, slurm:used "a")
  end)

  it("are not the jobs that got their ids after slurmctld lost the first ones", function ()
    local it, slurm = of_32()
    slurm:save()
    fill(slurm, "c", 8)
    passes(it, 2)
    fill(slurm, "b", 3)
    passes(it, 1)
    slurm:crash()
    fill(slurm, "a", 4)
    slurm:tick(1)
    assert.same({}, it.flights[1] and {} or { "no reclaim" })
    passes(it, 6)
    assert.is_nil(slurm.requeued)
  end)
end)

describe("the size", function ()
  it("is what drained nodes use, and all of the others", function ()
    local it, slurm = of_32()
    fill(slurm, "a", 1)
    slurm:tick(1)
    slurm:drain(1)
    slurm:drain(2)
    passes(it, 1)
    assert.equal(20, it.decision.groups.default.slots)
  end)

  it("lacks idle CPUs and GPUs of nodes that are down, reserved or in maintenance", function ()
    for state, amounts in pairs { ["mixed"] = { 8, 2 }, ["mixed+reserved"] = { 3, 1 },
      ["idle+maintenance+reserved+planned"] = { 3, 1 }, ["mixed+planned"] = { 8, 2 } } do
      local nodes = assert(read.nodes(fake.node { cpus = "3/5/0/8", state = state, gres = "gpu:2",
        gres_used = "gpu:1" }))
      assert.same(amounts, site.sizes(nodes, { { tres = "cpu" }, { tres = "gres/gpu" } }), state)
    end
    local down = assert(read.nodes(fake.node { cpus = "0/0/8/8", state = "down+planned" }))
    assert.same({ 0, 0 }, site.sizes(down, { { tres = "cpu" }, { tres = "node" } }))
  end)

  it("is told also where squeue's answer made no sense when it changed", function ()
    local it, slurm = of_32()
    passes(it, 2)
    local squeue = slurm.squeue
    slurm:drain(1)
    function slurm.squeue() return "nonsense\n" end
    passes(it, 1)
    slurm.squeue = squeue
    passes(it, 1)
    assert.equal(24, it.decision.groups.default.slots)
  end)

  it("lacks what jobs of accounts outside the plan use, unless a leaf stands for them", function ()
    local it, slurm = of_32()
    slurm.accounts.z = { parent = "root" }
    fill(slurm, "z", 2)
    slurm:tick(1)
    passes(it, 1)
    assert.equal(24, it.decision.groups.default.slots)
    local other
    other, slurm = of_32 { rest = "/c" }
    slurm.accounts.z = { parent = "root" }
    fill(slurm, "z", 2)
    slurm:tick(1)
    passes(other, 1)
    assert.equal(32, other.decision.groups.default.slots)
    assert.equal(8, row_of(other, "/c").allocated)
  end)
end)
