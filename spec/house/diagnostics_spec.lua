-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The coverage of diagnostics itself: what it finds in sources, and what it takes as said. That
--- some spec produces each is looked at when all have run (spec/run).

local diagnostics = require "spec.support.house.diagnostics"
local literals = require "spec.support.house.literals"

local C = [==[
/* "not this" */
int a = f(1, "a %" PRId64 " "
             "b", g("c"));
struct s x = {.hint = "d", '"', "\""};
]==]

local LUA = [==[
local a = f("one" .. x, { doc = 'two' }) -- "not this"
local b = [=[ nor "this" ]=]
]==]

describe("literals", function ()
  local function found(source, language)
    local list = {}
    literals.each(source, language, function (it)
      list[#list + 1] = ("%s %s %d %s"):format(it.call, it.key or "-", it.argument, it.text)
    end)
    return list
  end

  it("are found in C, as one where they stand together", function ()
    assert.same({ "f - 2 a %\1 b", "g - 1 c", " hint 1 d", ' - 3 "' }, found(C, "c"))
  end)

  it("are found in Lua", function ()
    assert.same({ "f - 1 one", " doc 1 two" }, found(LUA, "lua"))
  end)
end)

describe("the coverage of diagnostics", function ()
  it("finds diagnostics of C and of Lua", function ()
    local files = {}
    for _, it in ipairs(diagnostics.sources()) do files[it[1]] = (files[it[1]] or 0) + 1 end
    for _, path in ipairs {
      "core/json/text/token.c", "core/model/seal/check.c", "core/script/sandbox/library_table.c",
      "core/cli/term/options.c", "lua/allot/language/policy.lua", "lua/allot/reference/init.lua",
      "core/service/books/row.c", "core/service/cycle.c", "core/simulate/load.c",
    } do
      assert.is_true((files[path] or 0) > 0, path)
    end
  end)

  it("misses what nobody has said, whatever stands in its gaps", function ()
    local function missing(heard)
      for _, it in ipairs(diagnostics.missing(heard)) do
        if it[3]:find "^owned is" then return true end
      end
      return false
    end
    assert.is_true(missing "owned is 3, but its children own 17: at least that is")
    assert.is_false(missing "x\nowned is 3, but its children own 17: at least that is needed\n")
  end)

  it("counts texts of three words", function ()
    local there = {}
    for _, it in ipairs(diagnostics.sources()) do there[it[3]] = true end
    assert.is_true(there["cycles decide again"])
  end)

  it("excuses only what is there", function ()
    local there = {}
    for _, it in ipairs(diagnostics.sources()) do there[it[3]] = true end
    for text in pairs(diagnostics.unreachable) do assert.truthy(there[text], text) end
  end)
end)
