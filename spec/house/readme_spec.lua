-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the README shows is what the command does.

local readme = require "spec.support.readme"
local shell = require "spec.support.shell"

describe("README", function ()
  local text = readme.read("README.md")

  it("shows what the command prints", function ()
    local blocks = 0
    readme.map(text, function (command, printed)
      blocks = blocks + 1
      assert.equal(readme.output(command, shell.allot), printed, command)
      return printed
    end)
    assert.is_true(blocks >= 4)
  end)

  it("shows the examples as they are", function ()
    local function squeezed(s)
      return (s:gsub("//[^\n]*", ""):gsub("%s+", ""))
    end
    local shown = squeezed(text)
    for _, path in ipairs {
      "examples/first/plan.json", "examples/first/state.json", "examples/ratio/plan.json",
      "examples/mixed/plan.json", "examples/windows/plan.json", "examples/ownership/plan.json",
    } do
      assert.truthy(shown:find(squeezed(readme.read(path)), 1, true), path)
    end
    for _, path in ipairs { "examples/capped/capped.lua", "examples/victims/careful.lua" } do
      local policy = readme.read(path):match("return policy.*")
      assert.truthy(text:find(policy, 1, true), path)
    end
  end)

  it("has Lua that compiles", function ()
    local blocks = 0
    for code in text:gmatch("```lua\n(.-)```") do
      blocks = blocks + 1
      assert(load(code, "=README", "t"))
    end
    assert.is_true(blocks >= 3)
  end)

  it("names files that are there", function ()
    local known = { core = true, examples = true, lua = true, policies = true, spec = true }
    local paths = 0
    for path in text:gmatch("`%.?/?([%w_]+/[%w_/.-]+)`") do
      if known[path:match("^%w+")] then
        paths = paths + 1
        assert.is_true(os.rename(path, path), path)
      end
    end
    assert.is_true(paths > 5)
  end)
end)
