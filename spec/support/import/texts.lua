-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of texts, for specs: what comes of them, in a folder of their own.

local assert = require "luassert"

local core = require "allot.core"
local shell = require "spec.support.house.shell"

local import = {}

--- Imports texts as files a, b, ... of a folder: status, output, errors. Words are options.
function import.run(folder, texts, ...)
  local paths = {}
  for i, text in ipairs(type(texts) == "table" and texts or { texts }) do
    paths[i] = folder .. "/" .. ("abc"):sub(i, i)
    shell.write(paths[i], text)
  end
  for _, word in ipairs { ... } do paths[#paths + 1] = word end
  return shell.command("import", table.unpack(paths))
end

--- The plan, which `check` accepts, and the notes as "a:3:5: note: ...".
function import.plan(folder, texts, ...)
  local status, out, err = import.run(folder, texts, ...)
  assert.equal(0, status, err)
  shell.write(folder .. "/plan.json", out)
  assert.equal(0, (shell.command("check", "--runs", "0", folder .. "/plan.json")))
  local notes = {}
  for line in err:gmatch "/(%l:%d+:%d+: note: [^\n]*)" do
    notes[#notes + 1] = line
  end
  return core.decode(out), notes
end

--- Notes without their columns: "a:3: note: ...".
function import.lines(notes)
  local lines = {}
  for i, note in ipairs(notes) do lines[i] = note:gsub("^(%l:%d+):%d+", "%1") end
  return lines
end

--- The texts give no plan, and that is said.
function import.refused(folder, why, texts, ...)
  local status, out, err = import.run(folder, texts, ...)
  assert.same({ 3, "" }, { status, out }, why)
  assert.truthy(err:find(why, 1, true), err)
end

return import
