-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `allot check` warns of: all that a run would, and what stands there and does nothing.

local heard = require "spec.support.house.heard"
local json = require "dkjson"
local shell = require "spec.support.house.shell"

local at

setup(function () at = shell.directory() end)
teardown(function () shell.remove(at) end)

--- What `allot check` warns of in a file of that text: "line:col code" of each, in front of that
-- the file where it is another; and the messages with their hints.
local function warned(name, text)
  local path = at .. "/" .. name
  shell.write(path, text)
  local status, out, err = shell.run(("%s check --runs 0 --format json %s"):format(shell.allot,
    path))
  assert.equal(0, status, err .. out)
  local places, messages = {}, {}
  for i, it in ipairs(json.decode(out).warnings) do
    places[i] = ("%s%d:%d %s"):format(it.file == path and "" or it.file:match "[^/]+$" .. ":",
      it.line, it.col, it.code)
    messages[i] = it.message .. "\n" .. (it.hint or "")
    heard(it.message)
  end
  return places, table.concat(messages, "\n")
end

--- What `allot run` warns of a plan, as warned() has it.
local function run_warns(plan, state)
  shell.write(at .. "/state.json", state)
  local status, out = shell.run(("%s run --format json %s %s/state.json"):format(shell.allot, plan,
    at))
  assert.equal(0, status, out)
  local places = {}
  for i, it in ipairs(json.decode(out).warnings) do
    places[i] = ("%d:%d %s"):format(it.line, it.col, it.code)
  end
  return places
end

describe("what a run warns of a plan, check warns of", function ()
  local PLANS = {
    ["more is owned than planned (E-5)"] = { "1:25 W-overowned", [[
{"version": 1, "slots": 10, "consumers": [
  {"name": "a", "owned": 50}]}]] },
    ["ownership that the policy does not go by"] = { "2:26 W-owned", [[
{"version": 1, "slots": 10, "policy": "share_ratio", "consumers": [
  {"name": "a", "owned": 5}]}]] },
    ["a balance beside ownership that scales (H-1)"] = { "1:25 W-balance", [[
{"version": 1, "slots": 10, "consumers": [
  {"name": "a", "owned": 2, "policy": "hybrid"},
  {"name": "b", "owned": 2, "policy": "ownership"}]}]] },
    ["a size beside hosts"] = { "1:25 W-slots", [[
{"version": 1, "slots": 12, "hosts": {"h": {"slots": 3}}, "queues": [{"name": "q"}]}]] },
  }

  for name, case in pairs(PLANS) do
    it(name, function ()
      assert.same({ case[1] }, (warned("plan.json", case[2])))
      assert.same({ case[1] }, run_warns(at .. "/plan.json", '{"now": 0}'))
    end)
  end

  it("and of nothing else", function ()
    local sound = '{"version": 1, "slots": 50, "consumers": [{"name": "a", "owned": 50}]}'
    assert.same({}, (warned("plan.json", sound)))
  end)

  it("and a plan that no state can be decided of is not valid", function ()
    local path = at .. "/plan.json"
    shell.write(path, '{"version": 1, "consumers": [\n'
      .. '  {"name": "a", "owned": 1000000000}, {"name": "b", "owned": 1}]}')
    local status, _, err = shell.run(("%s check --runs 0 %s"):format(shell.allot, path))
    assert.equal(3, status, err)
    assert.truthy(err:find("[E-slots]", 1, true), err)
  end)
end)

describe("a fill of a policy never gives", function ()
  --- What is warned of a policy with such a quota, in its third line.
  local function quota(text, more)
    return warned("site.lua", ([[
return policy { name = "site", %s
  quota = {
    %s } }
]]):format(more or "", text))
  end

  it("behind one that fills whatever is needed", function ()
    local places, message = quota 'fill "all" { by = 1 }, fill "late" { by = "share" }'
    assert.same({ "3:28 W-fill" }, places)
    assert.truthy(message:find('fill "late" never has a slot to give: fill "all" before it', 1,
      true), message)
    assert.same({ "3:14 W-fill" }, (quota "fill {}, fill {}"))
  end)

  it("and every one behind it", function ()
    assert.same({ "3:18 W-fill", "3:31 W-fill" },
      (quota 'fill "a" {}, fill "b" {}, fill "c" { up_to = "owned" }'))
  end)

  it("behind an attribute that is above 0, which is then read nowhere else", function ()
    local attribute = 'attributes = { weight = { type = "integer", min = %d, default = 1 } },'
    assert.same({ "3:35 W-fill" }, (quota('fill "all" { by = "weight" }, fill "late" {}',
      attribute:format(1))))
    assert.same({}, (quota('fill "all" { by = "weight" }, fill "late" {}',
      attribute:format(0))))
  end)

  it("where its proportion is 0 for all", function ()
    local places, message = quota 'fill "none" { by = 0 }, fill "all" {}'
    assert.same({ "3:5 W-fill" }, places)
    assert.truthy(message:find("by = 0", 1, true), message)
  end)

  it("but does where rows are left out before it, or filled up to an amount", function ()
    assert.same({}, (quota 'fill "owned" { by = "owned" }, fill "spare" { by = 1 }'))
    assert.same({}, (quota 'fill "some" { up_to = "owned" }, fill "all" {}'))
    assert.same({}, (quota 'fill "some" { up_to = 3 }, fill "all" {}'))
    assert.same({}, (quota 'fill "f" { by = function (share) return share end }, fill "all" {}'))
    assert.same({}, (quota 'fill "f" { up_to = function (owned) return owned end }, fill "all" {}'))
  end)

  it("as is told of the policy of a plan, in the policy's file", function ()
    shell.write(at .. "/dead.lua", 'return policy { name = "dead",\n'
      .. '  quota = { fill "a" {}, fill "b" {} } }')
    local plan = '{"version": 1, "slots": 3, "policy": "dead.lua", "consumers": [{"name": "a"}]}'
    assert.same({ "dead.lua:2:26 W-fill" }, (warned("plan.json", plan)))
  end)

  it("and no ready-made policy has such a one", function ()
    for _, name in ipairs(require "allot.core".ready()) do
      local status, _, err = shell.run(("%s check --runs 0 %s"):format(shell.allot, name))
      assert.same({ 0, "" }, { status, err })
    end
  end)
end)

describe("a rule that is never asked", function ()
  it("is takes, where nothing is reclaimed", function ()
    local function site(more)
      return warned("site.lua", ([[
return policy { name = "site", quota = { fill "all" {} }, %s
  takes = relation { higher "rank" } }
]]):format(more))
    end
    local places, message = site "reclaim = false,"
    assert.same({ "2:3 W-unread" }, places)
    assert.equal("nobody takes slots: reclaim = false, so takes is never asked\n"
      .. "leave out reclaim = false, or takes", message)
    assert.same({}, (site ""))
  end)
end)

describe("an attribute that nothing reads", function ()
  local function attribute(declared, rest, like)
    return warned("site.lua", ([[
return policy { name = "site", %s
  %s,
  %s
}
]]):format(like or 'quota = { fill "all" {} },', declared, rest))
  end

  local VIP = "attributes = { vip = { type = 'boolean', doc = 'a vip' } }"

  it("is told, though its name is that of a fill or in a comment", function ()
    assert.same({ "2:18 W-unread" }, (attribute(VIP, "")))
    assert.same({ "2:18 W-unread" }, (attribute(VIP, "-- what of vip?")))
    assert.same({ "2:18 W-unread" }, (attribute(VIP, "--[[ vip ]] doc = 'of vip'")))
    assert.same({ "2:18 W-unread" }, (attribute(VIP, 'quota = { fill "vip" {} }', "")))
  end)

  it("is read by a function, a row, or as a column", function ()
    assert.same({}, (attribute(VIP, 'quota = { fill { by = function (vip) return 1 end } }', "")))
    assert.same({}, (attribute(VIP, 'quota = { fill { by = function (r) return 1 + #r.vip end } }',
      "")))
    assert.same({}, (attribute(VIP,
      'quota = { fill { by = function (sum_vip) return sum_vip end } }', "")))
    assert.same({}, (attribute(VIP, 'distribute = order { "vip" }')))
    assert.same({}, (attribute(VIP:gsub("vip =", '["vip"] ='), 'distribute = order { "vip" }')))
  end)

  it("may be read by what the policy is like, or be a limit, which the core reads", function ()
    assert.same({}, (attribute("attributes = { share_limit = { type = 'integer', limit = true,"
      .. " default = none } }", "", 'like = "ownership",')))
    assert.same({}, (attribute("attributes = { most = { type = 'integer', limit = true,"
      .. " default = none } }", "")))
  end)

  it("is told of tasks, too", function ()
    local tasks = "task_attributes = { dear = { type = 'integer' } }"
    assert.same({ "2:23 W-unread" }, (attribute(tasks, "")))
    assert.same({}, (attribute(tasks, 'victims = order { "dear" }')))
  end)
end)

describe("a column that only jobs have", function ()
  local function site(rules)
    return warned("site.lua", ([[
return policy { name = "site", quota = { fill "all" {} },
  %s }
]]):format(rules))
  end

  it("is told where victims or guards of consumers' tasks read it", function ()
    local places, message = site 'victims = order { "user", desc "started" }'
    assert.same({ "2:21 W-unread" }, places)
    assert.equal("victims reads user, which only jobs of queues have, and no task of a consumer\n"
      .. "tasks can state an attribute of another name: task_attributes", message)
    assert.same({ "2:31 W-unread" },
      (site "victims = { desc (function (usage) return usage end) }"))
    assert.same({ "2:38 W-unread" },
      (site 'guards = { guard "usage" { value = "remaining", min = 5 } }, options = {}'))
  end)

  it("is none where the word means something else", function ()
    assert.same({}, (site [[doc = "user", distribute = order { "rank" },
      victims = order { "ran", function (ran) local usage = ran; return usage end },
      guards = { guard "user" { value = "ran", min = 1 } }, task_attributes = {} ]]))
  end)

  it("is read where there are jobs", function ()
    assert.same({}, (warned("site.lua", [[
return policy { name = "site", preempts = false, victims = order { "user" } }]])))
  end)
end)

describe("what a plan says without effect", function ()
  local function grace(options)
    return ([[
// The grace of a "grace".
{"version": 1, "slots": 10, %s /* "grace": 1 */
 "consumers": [
  {"name": "d", "children": [{"name": "x", "grace": 5}, {"name": "y"}], "grace": 60},
  {"name": "e", "grace": 7},
 ],
 "windows": [
  {"from": "08:00", "to": "18:00", "slots": 8, "consumers": {"/d/x": {"grace": 1},
   "/d": {"limit": 3, "grace": 9}}}]}
]]):format(options)
  end

  it("is the grace of a branch without ancestor_grace (E-31)", function ()
    local places, message = warned("plan.json", grace "")
    assert.same({ "4:73 W-no-effect", "9:23 W-no-effect" }, places)
    assert.truthy(message:find("/d: grace has no effect there\n", 1, true), message)
    assert.truthy(message:find('"ancestor_grace"', 1, true), message)
    assert.same({}, (warned("plan.json", grace '"options": {"ancestor_grace": true},')))
  end)

  it("is backfill of a queue, since no slots are reserved for jobs", function ()
    local places, message = warned("plan.json", [[
{"version": 1, "hosts": {"h": {"slots": 3}}, "queues": [
  {"name": "a", "backfill": false},
  {"name": "b", "backfill": true},
  {"name": "c", "backfill": true, "interruptible_backfill": 60, "runlimit": 5}]}
]])
    assert.same({ "3:17 W-no-effect" }, places)
    assert.truthy(message:find("b: backfill has no effect there\n", 1, true), message)
  end)
end)
