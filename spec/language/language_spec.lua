-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The policy language in plain Lua, outside the sandbox: what its words make, and the line they
--- blame. What a whole policy does is in policy_spec.lua; the sandbox is tested in C.

local allot = require "allot"
local names = require "allot.language.names"

local HERE = "spec/language/language_spec.lua"

--- The line above which this is called, as a fault is placed: "spec/…/language_spec.lua:12: ".
local function here(offset)
  return ("%s:%d: "):format(HERE, debug.getinfo(2, "l").currentline + offset)
end

--- What a function raises.
local function raised(f, ...)
  local fine, message = pcall(f, ...)
  assert.is_false(fine)
  return message
end

describe("fill", function ()
  it("is a table of what was said, with defaults", function ()
    local made = allot.fill "owned" { by = "owned", up_to = 5, order = { allot.desc "rank" } }
    assert.equal("owned", made.label)
    assert.equal(5, made.up_to)
    assert.is_true(made.order[1].descending)
    assert.equal(1, allot.fill {}.by)
    assert.is_nil(allot.fill {}.label)
  end)

  it("blames the line that uses it", function ()
    local place
    local message = raised(function ()
      place = here(1)
      local made = allot.fill "a" { upto = 5 }
      return made
    end)
    assert.equal(place .. "unknown key of fill 'upto'; known are by, up_to, order, level, "
      .. "again; did you mean 'up_to'?", message)
  end)
end)

describe("policy", function ()
  local function check(spec)
    local made = allot.policy(spec)
    return made
  end

  it("lists what is declared by name", function ()
    local made = check {
      name = "x",
      attributes = { b = { type = "boolean" }, a = { type = "integer", default = allot.none } },
      quota = { allot.fill "a" {} },
    }
    assert.equal("a", made.attributes[1].name)
    assert.equal(allot.none, made.attributes[1].default)
    assert.is_false(made.attributes[2].default)
    assert.equal("rank", made.round)
  end)

  it("blames the fill that names no column", function ()
    local place = here(1)
    local wrong = allot.fill "a" { by = "ownd" }
    local message = raised(check, { name = "x", quota = { wrong } })
    assert.equal(place .. "unknown column 'ownd'", message:match("^[^;]*"))
    assert.matches("did you mean 'owned'%?$", message)
  end)

  it("knows its attributes as columns", function ()
    check {
      name = "x", attributes = { zeal = { type = "integer" } },
      quota = { allot.fill "a" { by = "zeal" } },
    }
  end)

  it("checks what a quota function returns", function ()
    local made = check { name = "x", quota = function (options) return options end }
    assert.matches("quota%[1%] is no fill", raised(made.quota, { 5 }))
    local fill = allot.fill "a" {}
    assert.same({ fill }, made.quota { fill })
  end)
end)

describe("ready-made policies", function ()
  it("are plain Lua", function ()
    local words = setmetatable({}, { __index = function (_, word)
      return rawget(allot, word) or _G[word]
    end })
    local hybrid = assert(loadfile("policies/hybrid.lua", "t", words))()
    assert.equal("hybrid", hybrid.name)
    assert.same({ "evenly", "preemption", "selective" }, {
      hybrid.options[1].name, hybrid.options[2].name, hybrid.options[3].name,
    })
    assert.equal(4, #hybrid.quota { evenly = false })
    assert.equal(3, #hybrid.quota { evenly = true })
  end)
end)

describe("preemption", function ()
  it("adds two options to those of a policy, and leaves these alone", function ()
    local own = { flat = { type = "boolean" } }
    local all = allot.preemption.options(own)
    assert.equal("boolean", all.flat.type)
    assert.equal("string", all.preemption.type)
    assert.is_true(all.selective.default)
    assert.same({ flat = { type = "boolean" } }, own)
    assert.is_table(allot.preemption.options().selective)
  end)

  it("chooses among the ready-made orders", function ()
    local choose = allot.preemption.victims
    assert.equal(allot.most_recent_task, choose { preemption = "most_recent", selective = true })
    assert.equal(allot.policy_default, choose { preemption = "policy_default", selective = true })
    local by_host = choose { preemption = "policy_default", selective = false }
    assert.equal("host", by_host[1].key)
    assert.equal(#allot.policy_default + 1, #by_host)
  end)

  it("blames the line that states an option twice", function ()
    local place = here(2)
    assert.equal(place .. "the option 'selective' is there already: preemption.options adds it",
      raised(function () local all = allot.preemption.options { selective = {} } return all end))
  end)
end)

describe("names", function ()
  it("are near by edits, swaps counting once", function ()
    assert.equal(1, names.distance("owend", "owned"))
    assert.equal(3, names.distance("kitten", "sitting"))
    assert.equal(4, names.distance("", "rank"))
    assert.equal("rank", names.nearest("rnak", { "share", "rank" }))
    assert.is_nil(names.nearest("zzz", { "share", "rank" }))
    assert.is_nil(names.nearest("", { "a" }))
  end)

  it("take upper and lower case as alike, as C does", function ()
    assert.equal(0, names.distance("OWNED", "owned"))
    assert.equal("owned", names.nearest("OWNED", { "share", "owned" }))
    assert.equal("Rank", names.nearest("Rank", { "rank", "Rank" }))
    assert.equal("rank", names.nearest("RNAK", { "ranks", "rank" }))
  end)

  it("are letters, digits and underscores", function ()
    assert.is_true(names.valid "a1_b")
    assert.is_true(names.valid("a-b", "-"))
    for _, bad in ipairs { "", "1a", "_a", "a-b", "a b", ("x"):rep(129) } do
      assert.is_false(names.valid(bad))
    end
    assert.is_false(names.valid(5))
  end)
end)
