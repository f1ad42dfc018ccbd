-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of Slurm's associations: dumps, and what `sacctmgr show assoc -P` prints.

local core = require "allot.core"
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

  it("are refused where the tree is not known", function ()
    for text, why in pairs {
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
