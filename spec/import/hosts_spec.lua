-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts of LSF's files: names, ranges, patterns, groups, `default`, `all ~x`, `none`; a queue
--- never comes to have hosts that its file does not give it. And what `check` would refuse of the
--- plan is refused with its place in the files (rules.md Q-10, A-28, P-1, P-33).

local allot = require "allot"
local json = require "dkjson"
local lsf = require "spec.support.cases.lsf"
local shell = require "spec.support.house.shell"

local HOSTS = [[
Begin Host
HOST_NAME    MXJ   JL/U   # node01 to node04, and a gap
node[01-03]  8     2
node04       4     -
login        0     ()
gpu[1,3-4]a  16    ()
End Host
Begin HostGroup
GROUP_NAME   GROUP_MEMBER
thin         (node[01-02] \
              node04)
gpus         (gpu*)
most         (all ~login ~gpus)
End HostGroup
]]

local function queue(name, lines)
  return ("Begin Queue\nQUEUE_NAME = %s\n%s\nEnd Queue\n"):format(name, lines)
end

--- The plan of queues whose HOSTS are such, `check`ed; and what was noted.
local function plan_of(words, hosts)
  local text, names = "", {}
  for name in pairs(words) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do text = text .. queue(name, "HOSTS = " .. words[name]) end
  local plan, notes = lsf.plan_of { ["lsb.hosts"] = hosts or HOSTS, ["lsb.queues"] = text }
  local out = {}
  for _, it in ipairs(plan.queues) do out[it.name] = it end
  return out, notes, plan
end

--- What is said of files that no plan comes of.
local function refused(texts)
  local text, errors, code = lsf.import(lsf.put_all(texts))
  assert.same({ "", 3 }, { text, code }, errors)
  return errors
end

describe("hosts of LSF's files", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  it("are as many as a range in a Host section names", function ()
    local _, notes, plan = plan_of { q = "all" }
    local eight = { slots = 8, jl_u = 2 }
    local sixteen = { slots = 16 }
    assert.same({ node01 = eight, node02 = eight, node03 = eight, node04 = { slots = 4 },
      login = { slots = 0 }, gpu1a = sixteen, gpu3a = sixteen, gpu4a = sixteen }, plan.hosts)
    assert.equal("", notes)
    assert.same({ thin = { "node01", "node02", "node04" }, gpus = { "gpu1a", "gpu3a", "gpu4a" },
      most = { "all", "~login", "~gpus" } }, plan.host_groups)
  end)

  for words, expected in pairs {
    ["node*"] = { "node01", "node02", "node03", "node04" },
    ["node[02-03]"] = { "node02", "node03" },
    ["node[01,04] gpus"] = { "node01", "node04", "gpus" },
    ["all ~login"] = { "all", "~login" },
    ["all ~node[01-02] ~gpu*"] = { "all", "~node01", "~node02", "~gpu1a", "~gpu3a", "~gpu4a" },
    ["thin \\\n  login"] = { "thin", "login" },
    ["node01+2 others ~login"] = { "node01", "all", "~login" },
    ["*3a"] = { "gpu3a" },
    ["(node01 node02)"] = { "node01", "node02" },
  } do
    it("of a queue: " .. words:gsub("\n", " "), function ()
      assert.same(expected, plan_of({ q = words }).q.hosts)
      local dos = plan_of({ q = (words:gsub("\n", "\r\n")) }, (HOSTS:gsub("\n", "\r\n")))
      assert.same(expected, dos.q.hosts)
    end)
  end

  it("are none where a queue says none: no job of it runs", function ()
    local queues, notes = plan_of { q = "none" }
    assert.same({ name = "q", qjob_limit = 0 }, queues.q)
    assert.truthy(notes:find("lsb.queues:3:9: note: HOSTS = none", 1, true), notes)
  end)

  it("that a queue names and nobody knows are an error, each with its place", function ()
    for _, word in ipairs { "hostA@cluster2", "all@cluster2", "nowhere", "node[07-09]", "x*",
                            "node[3-1]", "node[", "node[1-99999999999]", "allremote" } do
      local errors = refused {
        ["lsb.hosts"] = HOSTS, ["lsb.queues"] = queue("q", "PRIORITY = 3\nHOSTS = node01 " .. word),
      }
      assert.truthy(errors:find(("lsb.queues:4:9: error: '%s' is"):format(word), 1, true), errors)
      assert.truthy(errors:find("[E-import]", 1, true))
    end
    assert.truthy(refused({ q = queue("q", "HOSTS = hostX groupY") })
      :find("q:3:9: error: 'groupY' is no host or group of these files", 1, true))
  end)

  it("that are only excluded, or lack in a range, are noted", function ()
    local queues, notes = plan_of { q = "node[03-06] ~nowhere" }
    assert.same({ "node03", "node04" }, queues.q.hosts)
    assert.truthy(notes:find("'node[03-06]' names node06, which is no host", 1, true), notes)
    assert.truthy(notes:find("'~nowhere' is no host or group", 1, true), notes)
  end)

  it("go by the row of default where they have none", function ()
    local cluster = "Begin Host\nHOSTNAME model type\na ! !\nb ! !\nc ! !\nEnd Host\n"
    local host = "Begin Host\nHOST_NAME MXJ JL/U\na 2 ()\ndefault 6 1\nEnd Host\n"
    local plan, notes = lsf.plan_of {
      ["lsb.hosts"] = host, ["lsf.cluster.x"] = cluster, ["lsb.queues"] = queue("q", "HOSTS = b c"),
    }
    assert.same({ a = { slots = 2 }, b = { slots = 6, jl_u = 1 }, c = { slots = 6, jl_u = 1 } },
      plan.hosts)
    assert.equal("", notes)
    local errors = refused {
      ["lsb.hosts"] = host, ["lsf.cluster.x"] = cluster, ["lsb.queues"] = queue("q", "HOSTS = d"),
    }
    assert.truthy(errors:find("'d' is no host", 1, true), errors)
    -- Without lsf.cluster those are hosts that are named.
    plan = lsf.plan_of { ["lsb.hosts"] = host, ["lsb.queues"] = queue("q", "HOSTS = b[1-2]") }
    assert.same({ a = { slots = 2 }, b1 = { slots = 6, jl_u = 1 }, b2 = { slots = 6, jl_u = 1 } },
      plan.hosts)
  end)

  it("in a partition are noted, with what LSF says of pools (Q-10)", function ()
    local _, notes = plan_of({ q = "all" },
      HOSTS .. "Begin HostPartition\nHPART_NAME = p\nHOSTS = thin\nEnd HostPartition\n")
    assert.truthy(notes:find("(Q-10)", 1, true), notes)
  end)
end)

describe("limits of LSF's files", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  it("that count slots and jobs are two, and fractions round up", function ()
    local plan, notes = lsf.plan_of {
      ["lsb.queues"] = queue("q", ""), ["lsb.hosts"] = HOSTS,
      ["lsb.resources"] = "Begin Limit\nNAME = both\nHOSTS = node*\nSLOTS = 5\nJOBS = 2\n"
        .. "End Limit\nBegin Limit\nPER_HOST SLOTS_PER_PROCESSOR QUEUES\nall 0.5 q\nEnd Limit\n",
    }
    local nodes = { "node01", "node02", "node03", "node04" }
    assert.same({
      { name = "both", hosts = nodes, slots = 5 }, { name = "both, jobs", hosts = nodes, jobs = 2 },
      { name = "limit9", per_host = true, queues = { "q" }, slots_per_processor = 0.5 },
    }, plan.limits)
    assert.truthy(notes:find("rounded up, as LSF does", 1, true), notes)
  end)

  it("a half of a host's 3 slots is 2", function ()
    local _, _, plan = lsf.plan_of {
      ["lsb.queues"] = queue("q", ""), ["lsb.hosts"] = "Begin Host\nHOST_NAME MXJ\nh 3\nEnd Host\n",
      ["lsb.users"] = "Begin User\nUSER_NAME MAX_JOBS JL/P\nann - 0.5\nEnd User\n",
    }
    local jobs = {}
    for i = 1, 3 do jobs[i] = { id = "j" .. i, queue = "q", slots = 1, user = "ann" } end
    local state = assert(allot.state(plan, json.encode { now = 1000, jobs = jobs }))
    assert.equal(2, #json.decode(assert(allot.cycle(plan, state)):json()).starts)
  end)
end)

describe("a plan that check would refuse", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  for name, of in pairs {
    ["two queues of a name"] = {
      queue("a", "") .. queue("b", "") .. queue("a", ""), 10, 14, "E-duplicate-path" },
    ["a percentage of all"] = {
      queue("a", "NO_PREEMPT_FINISH_TIME = 100%"), 3, 26, "E-range" },
    ["a quoted PREEMPTION"] = {
      queue("a", 'PRIORITY = 4\nPREEMPTION = "PREEMPTIVE"'), 4, 14, "E-range" },
    ["an unknown queue in PREEMPTION"] = {
      queue("a", "PREEMPTION = PREEMPTIVE[nobody]"), 3, 14, "E-queue" },
    ["a share without a pool"] = { queue("a", "SLOT_SHARE = 5"), nil, nil, "E-" },
  } do
    it("is refused with its place in the files: " .. name, function ()
      local errors = refused { ["lsb.queues"] = of[1] }
      assert.truthy(errors:find(of[4], 1, true), errors)
      local place = of[2] and ("lsb.queues:%d:%d: error: "):format(of[2], of[3]) or ""
      assert.truthy(errors:find(place, 1, true), errors)
    end)
  end

  it("is a document of errors where that is asked for, and nothing else", function ()
    lsf.put("q", queue("a", "") .. queue("a", ""))
    local text, _, code = lsf.import({ "q" }, "--format json")
    assert.equal(3, code)
    local document = assert(json.decode(text))
    assert.equal("allot/error/v1", document.schema)
    assert.same({ "q", 6 }, { document.diagnostics[1].file, document.diagnostics[1].line })
  end)

  it("is none that import prints, of a whole site", function ()
    local files = {}
    for _, name in ipairs { "hosts", "params", "queues", "resources", "users" } do
      files[#files + 1] = "examples/lsf/lsb." .. name
    end
    local status, out = shell.command("import", table.unpack(files))
    assert.equal(0, status)
    local folder = shell.directory()
    shell.write(folder .. "/plan.json", out)
    local checked, _, err = shell.command("check", "--runs", "0", folder .. "/plan.json")
    shell.remove(folder)
    assert.equal(0, checked, err)
  end)
end)
