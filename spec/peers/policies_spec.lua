-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: each policy is short, names its source, is checked, and stands in the README.

local shell = require "spec.support.house.shell"

local readme = shell.read "examples/peers/README.md"
local paths = shell.lines "ls examples/peers/*.lua"

describe("a peer's policy", function ()
  for _, path in ipairs(paths) do
    local name, text = path:match "([%w_]+)%.lua$", shell.read(path)

    it("has at most 40 lines, and its source: " .. name, function ()
      assert.is_true(select(2, text:gsub("\n", "")) <= 40)
      assert.truthy(text:find("\n%-%- Source: %S"))
      assert.truthy(text:find(('\n  name = "%s",\n  doc = "'):format(name)))
      assert.truthy(readme:find("\n| `" .. name .. ".lua` | ", 1, true))
    end)

    it("is found right by allot check: " .. name, function ()
      local status, out, err = shell.command("check", "--runs", "300", "--seconds", "0", path)
      assert.equal(0, status, out .. err)
    end)
  end
end)
