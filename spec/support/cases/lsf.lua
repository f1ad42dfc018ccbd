-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Runs `allot import` on texts, in a directory of its own.

local allot = require "allot"
local json = require "dkjson"
local shell = require "spec.support.house.shell"

local lsf = {}

local directory

function lsf.begin() directory = shell.directory() end
function lsf.finish() shell.remove(directory) end

function lsf.put(name, text)
  shell.write(directory .. "/" .. name, text)
end

--- Imports files of the directory: standard output, standard error, status.
function lsf.import(names, ...)
  local words = { "import", ... }
  for _, name in ipairs(names) do words[#words + 1] = name end
  local line = "allot=$(realpath %s) && cd %s && timeout 60 $allot %s 2>notes"
  local pipe = assert(io.popen(line:format(shell.quote(shell.allot), shell.quote(directory),
    table.concat(words, " "))))
  local text = pipe:read("a")
  local _, _, code = pipe:close()
  return text, shell.read(directory .. "/notes"), code
end

--- Writes texts as files by name; their names, sorted.
function lsf.put_all(texts)
  local names = {}
  for name, text in pairs(texts) do
    lsf.put(name, text)
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- The plan that texts come to, as a table, and the notes.
function lsf.plan_of(texts)
  local text, notes, code = lsf.import(lsf.put_all(texts))
  assert(code == 0, notes)
  local plan, message, report = allot.plan(text)
  assert(plan, message and report and report[1].message)
  return json.decode(text), notes, plan
end

return lsf
