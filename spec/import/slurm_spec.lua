-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of Slurm's associations: dumps, and what `sacctmgr show assoc -P` prints.

local core = require "allot.core"
local Random = require "allot.check.random"
local tool = require "allot.import.tool"
local shell = require "spec.support.house.shell"

local DUMP = [[
# a comment
Cluster - 'allot':Fairshare=1:QOS='normal'
Account - 'early':Fairshare=2
  # an indented one
Parent - 'root'
User - 'root':AdminLevel='Administrator':Fairshare=1
Account - "dq name" :Description="x:y":FAIRSHARE=4   # behind
Account - 'idle':Fairshare=0
Account - 'eng':Fairshare=60:GrpTRES=cpu=12,node=3:MaxJobs=20
Account - 'eng':Fairshare=9
Account - 'hoist':Fairshare=parent:GrpTRES=cpu=6
Account - '2024':Fairshare=-5
Parent - 'eng'
User - 'alice':Fairshare=2147483647:MaxJobs=3
User - 'dora':Partition='short':Fairshare=7
Parent - 'hoist'
User - 'ann':Fairshare=3
User - 'bob':Partition='short':Fairshare=1
User - 'bob':Partition='long':Fairshare=2
]]
local ROOT = "Cluster - 'x'\nParent - 'root'\n"
local CONSUMERS = [[[
  {"name": "early", "share": 2000}, {"name": "root", "share": 1000},
  {"name": "dq_name", "share": 4000}, {"name": "idle", "share": 1},
  {"name": "eng", "share": 60000, "limit": 12, "children": [
    {"name": "alice"}, {"name": "dora", "share": 7}]},
  {"name": "hoist", "share": 6000, "limit": 6, "children": [
    {"name": "ann", "share": 3}, {"name": "bob-short"}, {"name": "bob-long", "share": 2}]},
  {"name": "q2024", "share": 1000}]
]]
local NOTES = {
  "1: note: Slurm orders jobs by shares and by past use; in the plan the ratio holds among those "
    .. "who want slots now (policy share_ratio)",
  "1: note: AdminLevel, Description are not carried over",
  "2: note: QOS is not carried over",
  "3: note: early stands ahead of every Parent: it is below root",
  "7: note: 'dq name' becomes dq_name: names match [A-Za-z][A-Za-z0-9_-]{0,127}",
  "8: note: idle has Fairshare 0: it runs when no other wants slots; its siblings' shares are "
    .. "taken times 1000, its own is 1",
  "9: note: eng: GrpTRES node=3 is not carried over: a limit is of slots",
  "9: note: MaxJobs is not carried over (2 times)",
  "10: note: eng is stated again: line 9 holds",
  "11: note: hoist: Fairshare=parent: its children count beside its siblings; its share is the "
    .. "sum of theirs",
  "12: note: 2024: Fairshare=-5 is as if it were not set: 1",
  "12: note: 2024 becomes q2024: names match [A-Za-z][A-Za-z0-9_-]{0,127}",
  "14: note: alice: Fairshare=parent counts as 1 among its siblings",
  "15: note: dora is of partition short alone: a plan does not say it",
  "18: note: bob is here several times, by partition",
}
local TREE = [[
Cluster|Account|User|Partition|Share|GrpTRES|MaxJobs
allot|root|||1||
allot| eng|||60|cpu=12|20
allot|  eng|alice||parent||20
allot|  lab|||1||
allot|   lab|cleo||3||
allot| sci|||40||
]]
local PARENTS = [[
Account|User|Share|ParentName|GrpTRES
root||1||
eng||60|root|cpu=12
lab||1|eng|
eng|alice|parent||
lab|cleo|3||
sci||40|root|
]]

describe("associations", function ()
  local folder

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  local function import(text, ...)
    shell.write(folder .. "/dump.cfg", text)
    return shell.command("import", folder .. "/dump.cfg", ...)
  end

  local function consumers(text)
    local status, out, err = import(text, "--slots", "16")
    assert.equal(0, status, err)
    shell.write(folder .. "/plan.json", out)
    assert.equal(0, (shell.command("check", "--runs", "0", folder .. "/plan.json")))
    return core.decode(out).consumers, err
  end

  it("become a plan, and what a plan does not state notes", function ()
    local found, err = consumers(DUMP)
    assert.same(core.decode(CONSUMERS), found)
    local said = {}
    for line in err:gmatch "dump.cfg:(%d+:%d+: note: [^\n]*)" do
      said[#said + 1] = line:gsub("^(%d+):%d+", "%1")
    end
    table.sort(said)
    table.sort(NOTES)
    assert.same(NOTES, said)
  end)

  it("are read from sacctmgr's tables, by blanks or by ParentName", function ()
    local wanted = core.decode [[[
      {"name": "eng", "share": 60, "limit": 12, "children": [
        {"name": "alice"}, {"name": "lab", "children": [{"name": "cleo", "share": 3}]}]},
      {"name": "sci", "share": 40}] ]]
    assert.same(wanted, (consumers(TREE)))
    local found = consumers(PARENTS)
    table.sort(found[1].children, function (a, b) return a.name < b.name end)
    assert.same(wanted, found)
  end)

  it("lose nothing without a note, and have users with and without a partition", function ()
    local found, err = consumers("\xef\xbb\xbfCluster - 'x'\nParent - 'root'\n"
      .. "User - 'a':GrpWall=2-00:00:00:Fairshare=5\nUser - 'b'\nUser - 'b':Partition='p'\n")
    assert.same({ "a", "b", "b-p" }, { found[1].name, found[2].name, found[3].name })
    assert.truthy(err:find('":00:00:Fairshare=5" is not read: a value with a colon', 1, true), err)
  end)

  it("have limits of the TRES that a slot is", function ()
    local text = "Cluster - 'x'\nParent - 'root'\nAccount - 'a':GrpTRES=cpu=8,gres/gpu=2\n"
    local _, out = import(text, "--slots", "4", "--slot", "gres/gpu")
    assert.equal(2, core.decode(out).consumers[1].limit)
  end)

  it("have limits of each group of a plan, memory in MiB", function ()
    local text = "Cluster - 'x'\nParent - 'root'\n"
      .. "Account - 'a':GrpTRES=cpu=8,gres/gpu=2,mem=1.5G,node=3\nAccount - 'b':GrpTRES=cpu=-1\n"
      .. "Parent - 'a'\nUser - 'u':GrpTRES=gres/gpu=1,mem=512000K\n"
    local status, out, err = import(text, "--slots", "cpu=64", "--slots", "gpu=8", "--slots",
      "mem=9000", "--slot", "cpu=cpu", "--slot", "gpu=gres/gpu", "--slot", "mem=mem")
    assert.equal(0, status, err)
    assert.same(core.decode [[{
      "cpu": {"slots": 64, "consumers": {"/a": {"limit": 8}}},
      "gpu": {"slots": 8, "consumers": {"/a": {"limit": 2}, "/a/u": {"limit": 1}}},
      "mem": {"slots": 9000, "consumers": {"/a": {"limit": 1536}, "/a/u": {"limit": 500}}}}]],
      core.decode(out).groups)
    assert.truthy(err:find(":3:1: note: a: GrpTRES node=3 is not carried over", 1, true), err)
    shell.write(folder .. "/plan.json", out)
    assert.equal(0, (shell.command("check", "--runs", "0", folder .. "/plan.json")))
  end)

  it("have a wildcard in place of users who state nothing of their own, where it is asked for",
    function ()
      local text = ROOT .. "User - 'root'\nAccount - 'a'\nAccount - 'b'\nParent - 'a'\n"
        .. "User - 'u'\nUser - 'v':Fairshare=1\nUser - 'w':Fairshare=0\n"
        .. "User - 'x':GrpTRES=cpu=3\nUser - 'y'\nUser - 'y':Partition='p'\nParent - 'b'\n"
        .. "User - 'u':Fairshare=2147483647\n"
      local status, out, err = import(text, "--slots", "16", "--wildcard")
      assert.equal(0, status, err)
      assert.same(core.decode [[[
        {"name": "root"},
        {"name": "a", "children": [{"name": "w", "share": 1},
          {"name": "x", "share": 1000, "limit": 3}, {"name": "y", "share": 1000},
          {"name": "y-p", "share": 1000}, {"name": "*", "share": 1000}]},
        {"name": "b", "children": [{"name": "*"}]}] ]], core.decode(out).consumers)
      assert.truthy(err:find(":1:1: note: 3 users state nothing of their own: * stands for them", 1,
        true), err)
      shell.write(folder .. "/plan.json", out)
      assert.equal(0, (shell.command("check", "--runs", "0", folder .. "/plan.json")))
    end)

  it("want options that fit each other", function ()
    for words, why in pairs {
      [{ "--slots", "0" }] = '--slots: "0" is no [GROUP=]N',
      [{ "--slots", "cpu=x" }] = '--slots: "cpu=x" is no [GROUP=]N',
      [{ "--slots", "1", "--slots", "2" }] = "--slots comes twice",
      [{ "--slots", "1", "--slots", "cpu=2" }] = "--slots is of a group or of the whole plan",
      [{ "--slots", "cpu=1", "--slots", "gpu=2", "--slot", "cpu=cpu" }]
        = "--slot does not say what a slot of the group gpu is",
    } do
      local status, _, err = import(DUMP, table.unpack(words))
      assert.equal(2, status)
      assert.truthy(err:find(why, 1, true), err)
    end
  end)

  it("keep their order where all or some children of an account with the parent's share have 0",
    function ()
      local found, err = consumers(ROOT .. "Account - 'a':Fairshare=parent\n"
        .. "Account - 'b':Fairshare=2\nAccount - 'c':Fairshare=parent\nParent - 'a'\n"
        .. "User - 'u':Fairshare=0\nUser - 'v':Fairshare=3\nParent - 'c'\n"
        .. "User - 'w':Fairshare=0\n")
      assert.same(core.decode [[[
        {"name": "a", "share": 3000, "children": [
          {"name": "u", "share": 1}, {"name": "v", "share": 3000}]},
        {"name": "b", "share": 2000},
        {"name": "c", "share": 1, "children": [{"name": "w", "share": 1}]}] ]], found)
      assert.truthy(err:find("c has Fairshare 0: it runs when no other", 1, true), err)
    end)

  it("have shares that a plan may have", function ()
    local found, err = consumers(ROOT .. "Account - 'a':Fairshare=2147483646\n"
      .. "Account - 'b':Fairshare=1\n")
    assert.same({ 715827882, nil }, { found[1].share, found[2].share })
    assert.truthy(err:find("shares beside a are divided by 3 and rounded up", 1, true), err)
  end)

  it("may be in several files, of one cluster and one program", function ()
    local function both(first, second)
      shell.write(folder .. "/one", first)
      shell.write(folder .. "/two", second)
      return shell.command("import", "--slots", "4", folder .. "/one", folder .. "/two")
    end
    local status, out = both("Cluster - 'x'\nParent - 'root'\nAccount - 'a'\n",
      "User|Account|Share|ParentName\n|b|3|root\nu|a|2|\n")
    assert.equal(0, status)
    assert.same(core.decode [[[{"name": "a", "children": [{"name": "u", "share": 2}]},
      {"name": "b", "share": 3}] ]], core.decode(out).consumers)
    for _, case in ipairs {
      { "Cluster - 'x'\n", "Cluster - 'y'\n",
        "two:1:1: error: associations of two clusters, x and y" },
      { "Cluster - 'x'\n", "Begin Queue\nQUEUE_NAME = q\nEnd Queue\n",
        "two:1:1: error: this is a file of LSF, and " .. folder .. "/one of Slurm" },
      { "Begin Queue\nQUEUE_NAME = q\nEnd Queue\n", "Account|User\n",
        "two:1:1: error: this is a file of Slurm, and " .. folder .. "/one of LSF" },
      { "Cluster - 'x'\n", "Name|Priority\n", "two:1:1: error: this is no file of Slurm" },
      { "JobIDRaw|JobID|Account|User\n", "",
        "one:1:1: error: this is a log of jobs: allot simulate reads it" },
      { "Name|Priority\n", "",
        "one:1:1: error: no file of LSF (Begin Queue), Slurm (what sacctmgr dump or" },
    } do
      local failed, _, err = both(case[1], case[2])
      assert.equal(3, failed)
      assert.truthy(err:find(case[3], 1, true), err)
    end
  end)

  it("are refused where the tree is not known", function ()
    for text, why in pairs {
      ["Cluster - 'x'\nParent - 'root'\nAccount - 'a':Description='it\n"]
        = ":3:27: error: the quote is not closed",
      ["Cluster - 'x'\nParent - \"root\n"] = ":2:10: error: the quote is not closed",
      ["Cluster - 'x'\nParent - 'root'\nAccount - ''\n"] = ":3:1: error: a name is missing",
      ["Cluster - 'x'\nParent - 'root'\nAccount - 'a':GrpTRES=cpu=many\n"]
        = ":3:1: error: a: GrpTRES=cpu=many is no amount",
      ["Cluster - 'x'\n"] = ":1:1: error: no account and no user is stated",
      ["Account|User|Share\nroot||1\na||1\n"] = ":1:1: error: what is below what is not said",
      ["Cluster - 'x'\nParent - 'none'\n"]
        = ":2:1: error: parent none is not known: parents stand before what is below them",
      ["Cluster - 'x'\nParent - 'root'\nAccount - 'a':Fairshare=x\n"]
        = ':3:1: error: Fairshare=x is no whole number, nor "parent" [E-import]',
      ["Cluster - 'x'\nAccount 'a'\n"] = ":2:1: error: expected Cluster, Parent, Account or User",
      ["Account|User|Share\na|b\n"]
        = ":2:1: error: 2 columns, the header has 3 (a name with | in it?)",
      ["Account|User|Share|ParentName\na||1|none\n"] = ":2:1: error: parent none is not known",
      ["Cluster - 'x'\nParent - 'root'\nAccount - 'a b'\nAccount - 'a.b'\n"]
        = ":4:1: error: a b and a.b become the same name, a_b",
    } do
      local status, out, err = import(text, "--slots", "4")
      assert.equal(3, status)
      assert.equal("", out)
      assert.truthy(err:find(why, 1, true), err)
    end
    local status, _, err = import(DUMP)
    assert.equal(3, status)
    assert.truthy(err:find("--slots says how large the cluster is", 1, true), err)
  end)
end)

-- ---- Random ones --------------------------------------------------------------------------------

local BYTES = { "\0", "\255", "\r", "\n", "'", '"', ":", "|", "=", ",", " - ", "-1", "9e9",
  "parent", "99999999999999999999", "#", "  ", "\u{2028}", "%", "cpu=", "0x1F",
  "Parent - 'root'\n" }

--- A tree { name, user, partition, share, limit, children }.
local function random_tree(random, depth)
  local list, used = {}, {}
  for _ = 1, random:int(1, 4) do
    local name = random:pick { "a", "b", "x.y", "two words", "q_1", "2024", "zed" }
    local user = depth > 3 or random:once_in(3)
    local key = name:gsub("%W", "_") .. (user and "u" or depth)
    if not used[key] then
      used[key] = true
      list[#list + 1] = { user = user, share = random:pick { 0, 1, 7, 2000000000, "parent" },
        name = user and "u" .. name or ("%s%d%d"):format(name, depth, random:int(1, 1000000)),
        limit = random:once_in(2) and random:int(0, 99) or nil,
        children = not user and random_tree(random, depth + 1) or {} }
    end
  end
  return list
end

local function in_order(list)
  table.sort(list, function (a, b)
    if a.user ~= b.user then return a.user end
    return a.name < b.name
  end)
  for _, node in ipairs(list) do in_order(node.children) end
  return list
end

--- The tree as a dump, as `show assoc tree` and as `show assoc` print it.
local function dump_of(list, parent, out)
  out[#out + 1] = ("Parent - '%s'"):format(parent)
  for _, node in ipairs(list) do
    out[#out + 1] = ("%s - '%s':Fairshare=%s%s"):format(node.user and "User" or "Account",
      node.name, node.share, node.limit and ":GrpTRES=cpu=" .. node.limit or "")
  end
  for _, node in ipairs(list) do
    if not node.user then dump_of(node.children, node.name, out) end
  end
  return out
end

local function table_of(list, parent, depth, out)
  for _, node in ipairs(list) do
    local account = node.user and parent or node.name
    out[#out + 1] = table.concat({ (depth and (" "):rep(depth) or "") .. account,
      node.user and node.name or "", tostring(node.share),
      node.limit and "cpu=" .. node.limit or "", not depth and not node.user and parent or "" },
      "|")
    table_of(node.children, node.name, depth and depth + 1, out)
  end
  return out
end

local function texts_of(random)
  local list = in_order(random_tree(random, 1))
  local head = "Account|User|Share|GrpTRES|"
  return {
    "Cluster - 'x':Fairshare=1\n" .. table.concat(dump_of(list, "root", {}), "\n") .. "\n",
    table.concat(table_of(list, "root", 1, { head .. "Note", "root||1||" }), "\n") .. "\n",
    table.concat(table_of(list, "root", nil, { head .. "ParentName", "root||1||" }), "\n") .. "\n",
  }
end

--- Exit code, plan, findings of a text.
local function imported(text)
  local plan, findings = nil, {}
  local code = tool.run({
    read = function () return text end,
    out = function (made) plan = made end,
    say = function (finding) findings[#findings + 1] = finding end,
  }, { "it" }, { slots = { "64" } })
  return code, plan, findings
end

local function holds(text)
  local code, document, findings = imported(text)
  if code == 0 then
    local plan = assert(core.plan(document))
    assert(core.cycle(plan, assert(core.state(plan, '{"now": 0}'))))
    return document
  end
  assert(code == 1 and #findings > 0, "no reason")
  local lines = select(2, text:gsub("\n", "")) + 1
  for _, it in ipairs(findings) do
    assert(it.severity ~= "error" or it.file == "it" and it.line >= 1 and it.line <= lines
      and it.col >= 1, "no place: " .. it.message)
  end
end

local function changed(text, random)
  for _ = 1, random:int(1, 4) do
    local at = random:int(0, #text)
    text = text:sub(1, at) .. random:pick(BYTES) .. text:sub(at + 1 + random:int(0, 6))
  end
  return random:once_in(8) and text:sub(1, random:int(0, #text)) or text
end

describe("associations at random", function ()
  local only = tonumber(os.getenv "ALLOT_SEED" or "")
  local share = tonumber(os.getenv "ALLOT_SHARE" or "100") / 100

  it("give one plan however they are printed; broken ones a plan or an error's place", function ()
    for seed = only or 1, only or math.ceil(1000 * share) do
      local random = Random.new(seed)
      local texts = texts_of(random)
      local good, why = pcall(function ()
        local first = assert(holds(texts[1]), "is refused")
        for i = 2, 3 do assert(holds(texts[i]) == first, "differs") end
        for _, text in ipairs(texts) do holds(changed(text, random)) end
      end)
      if not good then error(("ALLOT_SEED=%d: %s\n%s"):format(seed, why, texts[1]), 0) end
    end
  end)
end)
