-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot check` ends in time: by a clock that is given, and with cases whose size has a bound.

local check = require "allot.check"
local draw = require "allot.check.draw"
local core = require "allot.core"
local gen = require "spec.support.cases.gen"
local part = require "allot.check.part"
local Random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local Target = require "allot.check.target"

local SECOND = 1000000

--- Checks texts by the names of their files, as the command does; options as text. Returns the
-- status, what is put out, findings, and what is asked of the host in order.
local function checks(texts, options, clock)
  local out, found, asked, args = {}, {}, {}, {}
  for name in pairs(texts) do args[#args + 1] = name end
  local status = check.run({
    out = function (text) out[#out + 1] = text end,
    read = function (path)
      asked[#asked + 1] = "read"
      return texts[path], "No such file or directory"
    end,
    write = function (path, text)
      asked[path:match "[^/]+$"] = text
      return true
    end,
    option = function (name) return options[name] end,
    progress = function (done, total) asked[#asked + 1] = ("%d/%d"):format(done, total) end,
    say = function (finding) found[#found + 1] = finding end,
    clock = clock,
  }, args)
  return status, table.concat(out), found, asked
end

--- A clock that goes on by as much whenever it is looked at.
local function ticking(step)
  local now = 0
  return function ()
    now = now + step
    return now
  end
end

--- A clock that stands still, and at the n-th look is late for ever.
local function jumping(n)
  local looks = 0
  return function ()
    looks = looks + 1
    return looks < n and 0 or 100 * SECOND
  end
end

local SOUND = { ["site.lua"] = 'return policy { name = "site", quota = { fill "all" {} } }' }
--- Takes more than it may of some hundred rows, and of fewer not.
local DEAR = [[
return policy { name = "dear", quota = { fill "x" { by = function (owned)
  local sum = owned
  for i = 1, 20000 do sum = sum + i % 7 end
  return sum % 100
end } } }
]]
local BROKEN = { ["owners_last.lua"] = shell.read "examples/broken/owners_last.lua" }

describe("the time of check", function ()
  it("ends the cases, and says how many there were", function ()
    local status, out, found = checks(SOUND, { runs = "1000" }, ticking(SECOND // 100))
    assert.equal(0, status)
    assert.same({}, found)
    local cases = out:match "  (%d+) of 1000 random cases of %d+ plans, seed 1: the time was up"
    assert.truthy(cases, out)
    assert.is_true(tonumber(cases) > 0 and tonumber(cases) < 1000, out)
    assert.truthy(out:find("hold: ", 1, true))
    -- Twice the time is more of the same cases.
    local _, longer = checks(SOUND, { runs = "1000", seconds = "20" }, ticking(SECOND // 100))
    assert.is_true(tonumber(longer:match "  (%d+) of 1000") > tonumber(cases), longer)
  end)

  it("is no matter without a clock, or with --seconds 0", function ()
    local _, plain = checks(SOUND, { runs = "40" })
    assert.truthy(plain:find("  40 random cases of 3 plans, seed 1\n", 1, true), plain)
    local _, endless = checks(SOUND, { runs = "40", seconds = "0" }, ticking(100 * SECOND))
    assert.equal(plain, endless)
  end)

  it("is shown from the beginning, and cleared at the end", function ()
    local _, _, _, asked = checks(SOUND, { runs = "40" }, ticking(SECOND // 100))
    assert.same({ "0/1", "read" }, { asked[1], asked[2] })
    assert.equal("1/1", asked[#asked])
    assert.is_true(#asked > 10)
    for i = 3, #asked - 1 do
      local done, total = asked[i]:match "^(%d+)/(%d+)$"
      assert.is_true(tonumber(done) < tonumber(total), asked[i])
    end
  end)

  it("may be up at any moment: what was found until then is told, and shows it", function ()
    local broken = 0
    for looks = 2, 80 do
      local status, out, found, asked = checks(BROKEN, { runs = "64" }, jumping(looks))
      if status == 1 then
        broken = broken + 1
        assert.equal("E-property", found[1].code)
        local plan = assert(core.plan(asked["plan.json"], { policies = BROKEN }))
        assert.truthy(core.cycle(plan, assert(core.state(plan, asked["state.json"]))))
      else
        assert.equal(0, status)
        assert.same({}, found)
        assert.truthy(out:find(" of 64 random cases", 1, true), out)
      end
    end
    assert.is_true(broken > 0 and broken < 79, tostring(broken))
  end)

  it("is kept for what is larger than the cases: a thousand rows break a budget", function ()
    local status, _, found = checks({ ["dear.lua"] = DEAR }, { runs = "1000" },
      ticking(SECOND // 10))
    assert.equal(4, status)
    assert.equal("E-policy-budget", found[1].code)
    assert.truthy(found[1].case)
  end)

  it("is an option of the command", function ()
    local status, out = shell.command("check", "--seconds", "0", "--runs", "16", "hybrid")
    assert.equal(0, status)
    assert.truthy(out:find("  16 random cases of 1 plans", 1, true), out)
    assert.equal(2, (shell.command("check", "--seconds", "-1", "hybrid")))
  end)
end)

describe("a large plan", function ()
  --- `count` leaves below branches of 50, a few of which never get a slot.
  local function plan_of(count)
    local plan = { version = 1, slots = 2 * count, consumers = {} }
    for i = 1, count // 50 do
      local children = {}
      for j = 1, 50 do
        children[j] = { name = ("l%d_%d"):format(i, j), owned = j % 4, limit = j == 7 and 0 or nil }
      end
      plan.consumers[i] = { name = "b" .. i, children = children }
    end
    return plan
  end

  it("is tried part by part, and said to be", function ()
    local plan = plan_of(1000)
    local status, out, found = checks({ ["plan.json"] = core.encode(plan) }, { runs = "16" })
    assert.equal(0, status)
    assert.truthy(out:find(("  16 random states of parts of it, %d of its 1000 leaves each, seed 1")
      :format(part.LEAVES), 1, true), out)
    -- Of all that never get a slot.
    assert.equal(20, #found)
    for i, finding in ipairs(found) do
      assert.equal("W-unreachable", finding.code)
      assert.equal(("/b%d/l%d_7"):format(i, i), finding.path)
      assert.is_true(finding.line > 0)
    end
  end)

  it("costs as many cycles and rows as it has leaves, a few times", function ()
    local rows = {}
    for i, count in ipairs { 1000, 2000 } do
      local target = Target.of_plan(core, {}, core.encode(plan_of(count)), "plan.json")
      local cycle, seen = core.cycle, 0
      target.core = setmetatable({
        cycle = function (...)
          seen = seen + count
          return cycle(...)
        end,
      }, { __index = core })
      -- None is out of reach.
      for _, branch in ipairs(target.document.consumers) do
        for _, leaf in ipairs(branch.children) do leaf.limit = nil end
      end
      assert.same({}, Target.unreachable(target, function () return false end))
      rows[i] = seen
    end
    assert.equal(2 * rows[1], rows[2])
  end)

  it("is decided as a whole, too", function ()
    local folder = shell.directory()
    finally(function () shell.remove(folder) end)
    shell.write(folder .. "/dear.lua", DEAR)
    shell.write(folder .. "/plan.json", (core.encode(plan_of(1000)):gsub("^{",
      '{"policy": "dear.lua", ')))
    -- Of no part is any too dear.
    local status, out, err = shell.run(("%s check --seconds 0 --runs 1 --out %s/out %s/plan.json")
      :format(shell.allot, folder, folder))
    assert.equal(4, status, out)
    assert.truthy(err:find("[E-policy-budget]", 1, true), err)
  end)

  it("gives parts that are valid plans, whatever it is", function ()
    local most, tried = part.LEAVES, 0
    part.LEAVES = 3
    finally(function () part.LEAVES = most end)
    for seed = 1, tonumber(os.getenv "ALLOT_CASES") or 2000 do
      local plan = gen.tree(seed).plan
      local leaves = #draw.leaves(plan)
      if leaves > part.LEAVES then
        local smaller = part.of(Random.new(seed), plan, leaves)
        local sealed, message = core.plan(core.encode(smaller))
        assert.truthy(sealed, ("seed %d: %s"):format(seed, message))
        assert.truthy(core.state(sealed, '{"now": 0}'), seed)
        assert.equal(part.LEAVES, #draw.leaves(smaller))
        tried = tried + 1
      end
    end
    assert.is_true(tried > 0)
  end)

  it("leaves out what speaks of consumers that are gone", function ()
    local most = part.LEAVES
    part.LEAVES = 1
    finally(function () part.LEAVES = most end)
    local plan = {
      version = 1, slots = 40, policy = "/etc/site.lua",
      consumers = {
        { name = "a", owned = 30, children = {
          { name = "x", owned = 20, lend = { "/a/y", "/b" } }, { name = "y", owned = 10 } } },
        { name = "b", owned = 8, policy = "/etc/site.lua", borrow = "/a/x" },
      },
      windows = { { from = "08:00", to = "18:00", slots = 20, consumers = {
        ["/a/x"] = { limit = 3 }, ["/b"] = { limit = 4 } } } },
    }
    local seen = {}
    for seed = 1, 40 do
      local out = part.of(Random.new(seed), plan, 3)
      assert.equal("/etc/site.lua", out.policy)
      assert.same({ 13, 6 }, { out.slots, out.windows[1].slots })
      local path = draw.leaves(out)[1]
      seen[path] = out
    end
    assert.same({ name = "a", owned = 20, children = { { name = "x", owned = 20 } } },
      seen["/a/x"].consumers[1])
    assert.same({ ["/a/x"] = { limit = 3 } }, seen["/a/x"].windows[1].consumers)
    assert.equal(10, seen["/a/y"].consumers[1].owned)
    assert.is_nil(seen["/a/y"].windows[1].consumers)
    assert.same({ { name = "b", owned = 8, policy = "/etc/site.lua" } }, seen["/b"].consumers)
    assert.equal(20, plan.consumers[1].children[1].owned)
  end)
end)
