-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the bridge reads of Slurm, and what ties a plan to it: functions of texts.

local core = require "allot.core"
local array = require "allot.slurm.array"
local fake = require "spec.support.slurm.fake"
local limit = require "allot.slurm.limit"
local ceiling = require "allot.slurm.ceiling"
local read = require "allot.slurm.read"
local site = require "allot.slurm.site"
local slot = require "allot.import.slot"
local truth = require "allot.slurm.truth"

describe("limits of Slurm", function ()
  local PLAN_OF = assert(site.plan(core.encode { consumers = core.list { { name = "a" },
    { name = "b", children = core.list { { name = "u" } } } } }))
  local ACCOUNTS = assert(read.accounts(table.concat({
    "root||||||||x", "d||root|cpu=8||3|||x", "a||d|cpu=4,mem=2G|||||x", "a|u||cpu=2|||5|cpu=1|x",
    "a|u||cpu=3|fast||||x", "b||root||||||x", "b|u||cpu=9,gres/gpu=1|||7||x" }, "\n")))
  local QOS = assert(limit.qos "normal|||||||\nq|cpu=20|9|gres/gpu=2|4|cpu=6|5|node=2\n")
  local of = limit.of(PLAN_OF, { { tres = "cpu" } }, ACCOUNTS, QOS)

  local function scopes(account, user, partition, qos)
    local limits, list = of { account = account, user = user, partition = partition, qos = qos }, {}
    for _, scope in ipairs(limits.scopes) do list[scope.key] = scope.most end
    return list, limits.each
  end

  it("are those of associations that are no ceilings, and of QOS", function ()
    local list, each = scopes("a", "u", "batch", "normal")
    assert.same({ ["user a|u|"] = { cpu = 2, job = 5 }, ["account a"] = { mem = 2048 },
      ["account d"] = { cpu = 8, job = 3 } }, list)
    assert.same({ { cpu = 1 }, {} }, each)
    assert.same({ cpu = 3 }, scopes("a", "u", "fast", "normal")["user a|u|fast"])
    list, each = scopes("b", "u", "batch", "q")
    assert.same({ ["user b|u|"] = { ["gres/gpu"] = 1, job = 7 }, ["qos q"] = { cpu = 20, job = 9 },
      ["qos q user u"] = { ["gres/gpu"] = 2, job = 4 },
      ["qos q account b"] = { cpu = 6, job = 5 } }, list)
    assert.same({ {}, { node = 2 } }, each)
    assert.same({}, (scopes("z", "nobody", "batch", "none")))
  end)

  it("let as many tasks run as fit, each", function ()
    local limits = { scopes = { { key = "x", most = { cpu = 10, job = 3 } } },
      each = { { cpu = 5 } } }
    local used = {}
    limit.use(used, limits, { cpu = 2, job = 1 }, 1)
    assert.equal(2, limit.let(used, limits, { cpu = 4, job = 1 }, 7))
    assert.equal(0, limit.let(used, limits, { cpu = 4, job = 1 }, 7))
    assert.equal(0, limit.let({}, limits, { cpu = 6, job = 1 }, 1))
    assert.equal(3, limit.let({}, limits, { mem = 6, job = 1 }, 9))
  end)

  it("are believed whole or not at all", function ()
    assert.is_nil((limit.qos "sacctmgr: error\n"))
    assert.is_nil((read.accounts "a||root|\n"))
  end)
end)

describe("what Slurm prints", function ()
  local SITE = { groups = { { name = "default", tres = "cpu" } }, single = true, leaves = {},
    is_leaf = {},
    sizes = { 32 }, shared = {}, consumer_of = function () end }
  local LINE = fake.line { tres = "cpu=4,mem=2G,node=1,billing=4,gres/gpu=2" }:gsub("\n", "")

  it("is read column by column", function ()
    local job = assert(read.job(LINE))
    assert.same({ cpu = 4, mem = 2048, node = 1, billing = 4, ["gres/gpu"] = 2 }, job.amounts)
  end)

  it("is believed whole or not at all", function ()
    for _, text in ipairs { "slurm_load_jobs error: x\n", LINE .. "\nx\n",
      (LINE:gsub("\31", "", 1)) .. "\n", LINE .. "\31more\n" } do
      local jobs, why = truth.of(text, {}, SITE)
      assert.is_nil(jobs)
      assert.truthy(why:find "makes no sense")
    end
    assert.is_nil((read.nodes "sinfo: error\n"))
    assert.is_nil((read.nodes ""))
  end)

  it("counts GPUs of nodes, and their use on drained ones", function ()
    local nodes = assert(read.nodes(fake.node { cpus = "3/1/0/4", gres = "gpu:a100:4(S:0-1)",
      gres_used = "gpu:a100:1(IDX:0)" } .. fake.node { name = "n2", cpus = "2/0/2/4",
      state = "mixed+drain", gres = "gpu:4", gres_used = "gpu:1", memory_used = 512 }))
    local sizes = site.sizes(nodes, { { tres = "gres/gpu" }, { tres = "cpu" }, { tres = "mem" },
      { tres = "billing" }, { tres = "cpu", partition = "none" } })
    assert.same({ 5, 6, 2560, -1, -1 }, sizes)
  end)

  it("has arrays as lists of ranges", function ()
    local waiting = array.read "1,4-9:2%3"
    assert.same({ 4, 3, { 1, 4, 6 } }, { waiting.count, waiting.throttle, array.first(waiting, 3) })
    for _, text in ipairs { "", "a", "1-", "9-1", "1-9:0", "1,,2%x" } do
      assert.is_nil(array.read(text))
    end
  end)
end)

describe("a site", function ()
  it("finds the consumer of an account whatever its name", function ()
    assert.equal("q2024_proj", site.name_of "2024.Proj")
    local plan = assert(site.plan(core.encode { version = 1, consumers = core.list {
      { name = "q2024_proj", children = core.list { { name = "alice" } } }, { name = "rest" } } }))
    local of = site.consumer_of(plan, nil, "/rest")
    assert.equal("/q2024_proj/alice", of { account = "2024.proj", user = "alice" })
    assert.equal("/rest", of { account = "2024.proj", user = "bob" })
    assert.equal("/rest", of { account = "other", user = "bob" })
  end)

  it("has no ceiling but a wildcard's limit for users who want nothing", function ()
    local plan = assert(site.plan(core.encode { version = 1, consumers = core.list {
      { name = "a", children = core.list { { name = "ann" }, { name = "*", limit = 3 } } } } }))
    assert.equal("/a/eve", site.consumer_of(plan) { account = "a", user = "eve", partition = "p" })
    local list = site.associations(plan, assert(read.accounts(table.concat({ "root||||||||x",
      "a||root||||||x", "a|ann|||||||x", "a|eve|||||||x" }, "\n"))))
    local decision = { groups = { default = { consumers = {
      { path = "/a", quota = 5, owned = "0" }, { path = "/a/ann", quota = 5, owned = "0" } } } } }
    local wanted = ceiling.by_decision(decision, plan, { { name = "default", tres = "cpu" } })
    for k, it in ipairs(list) do list[k] = it.path .. " " .. wanted(it).cpu end
    assert.same({ "/a 5", "/a/ann 5", "/a/eve 3" }, list)
  end)

  it("has a leaf for each partition of a user who stands twice below an account", function ()
    local plan = assert(site.plan(core.encode { version = 1, consumers = core.list {
      { name = "a", children = core.list { { name = "bob-short", limit = 2 }, { name = "bob-long" },
        { name = "ann" } } } } }))
    local of = site.consumer_of(plan)
    assert.equal("/a/bob-short", of { account = "a", user = "bob", partition = "short" })
    assert.equal("/a/ann", of { account = "a", user = "ann", partition = "short" })
    assert.is_nil((of { account = "a", user = "bob", partition = "other" }))
    local list = site.associations(plan, assert(read.accounts(table.concat({ "root||||||||x",
      "a||root||||||x", "a|bob|||short||||x", "a|bob|||long||||x", "a|ann||cpu=2|||||x",
      "a|ann||cpu=3|short||||x" }, "\n"))))
    local commands = ceiling.commands(list, ceiling.open(plan, { { tres = "cpu" } }), 9)
    for k, words in ipairs(commands) do commands[k] = table.concat(words, " ", 4) end
    assert.same({ "modify user where name=bob account=a partition=short set GrpTRES=cpu=2",
      "modify user where name=ann account=a set GrpTRES=cpu=-1" }, commands)
  end)

  it("has no wildcard's leaf for a user with the name of a consumer that has children", function ()
    local plan = assert(site.plan(core.encode { consumers = core.list { { name = "a",
      children = core.list { { name = "sub", children = core.list { { name = "x" } } },
        { name = "*" } } } } }))
    local of = site.consumer_of(plan)
    assert.equal("/a/b_o", of { account = "a", user = "b.o" })
    assert.is_nil((of { account = "a", user = "sub" }))
  end)

  it("has users of root as leaves of the first level, and no ceiling for all accounts", function ()
    local plan = assert(site.plan(core.encode { version = 1, consumers = core.list {
      { name = "root" }, { name = "ops" }, { name = "a" } } }))
    local of = site.consumer_of(plan)
    assert.equal("/root", of { account = "root", user = "root" })
    assert.equal("/ops", of { account = "root", user = "ops" })
    assert.is_nil((of { account = "root", user = "eve" }))
    local list = site.associations(plan, assert(read.accounts(table.concat({ "root||||||||x",
      "root|root|||||||x", "root|ops|||||||x", "root|a|||||||x", "a||root||||||x" }, "\n"))))
    for i, it in ipairs(list) do list[i] = it.account .. " " .. (it.user or "") end
    assert.same({ "a ", "root ops", "root root" }, list)
  end)

  it("says what a slot of each group is", function ()
    local plan = { groups = { "cpu", "gpu" } }
    local groups = slot.groups({ "cpu=cpu@batch", "gpu=gres/gpu" }, plan)
    assert.same({ { name = "cpu", tres = "cpu", partition = "batch" },
      { name = "gpu", tres = "gres/gpu" } }, groups)
    for words, why in pairs {
      [{ "cpu=cpu" }] = "does not say what a slot of the group gpu is",
      [{ "cpu=cpu", "gpu=gres/gpu", "x=mem" }] = "names 3 groups, the plan has 2",
      [{ "cpu=%" }] = "is no [GROUP=]TRES[@PARTITION]",
    } do
      local none, said = slot.groups(words, plan)
      assert.is_nil(none)
      assert.truthy(said:find(why, 1, true), said)
    end
  end)
end)
