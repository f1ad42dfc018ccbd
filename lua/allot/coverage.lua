-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which lines of a policy can run, and which did.
--
-- A line counts once for each function that it is part of: `by = function (share) return share end`
-- runs once when the file is read, and once more when somebody asks.

local coverage = {}

-- What can run ---------------------------------------------------------------------------------

-- Lua's own dump of the compiled file tells, function by function (ldump.c of Lua 5.4).
local HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1
local FIXED = { [0x03] = 8, [0x13] = 8 } -- numbers, among the constants
local TEXT = { [0x04] = true, [0x14] = true }
local ABSOLUTE = -128
local TAIL_CALL, VARARG = 69, 81 -- opcodes (lopcodes.h of Lua 5.4)

local function reader(dump)
  local it, at = {}, HEADER + 1
  function it.byte()
    at = at + 1
    return dump:byte(at - 1)
  end
  function it.skip(count) at = at + count end
  function it.int()
    local value = 0
    while true do
      local byte = it.byte()
      value = value << 7 | byte & 0x7F
      if byte & 0x80 ~= 0 then return value end
    end
  end
  function it.text()
    local size = it.int()
    if size > 0 then it.skip(size - 1) end
  end
  return it
end

local function skip_constants(it)
  for _ = 1, it.int() do
    local kind = it.byte()
    if TEXT[kind] then it.text() else it.skip(FIXED[kind] or 0) end
  end
end

--- The lines of a function's instructions but those that never run by themselves: the one that
--- takes variable arguments, the one behind a tail call, and the last, which Lua adds at the `end`.
local function read_lines(it, from, codes, add)
  local steps, at = {}, {}
  for pc = 1, it.int() do
    local step = it.byte()
    steps[pc] = step >= 128 and step - 256 or step
  end
  for _ = 1, it.int() do
    local pc = it.int()
    at[pc + 1] = it.int()
  end
  local line = from
  for pc, step in ipairs(steps) do
    line = step == ABSOLUTE and at[pc] or line + step
    local idle = codes[pc] == VARARG or codes[pc - 1] == TAIL_CALL or pc == #steps
    if not idle and line > 0 then add(line, from) end
  end
  for _ = 1, it.int() do
    it.text()
    it.int()
    it.int()
  end
  for _ = 1, it.int() do it.text() end
end

--- The opcodes of its instructions, each 4 bytes long.
local function read_codes(it)
  local codes = {}
  for pc = 1, it.int() do
    codes[pc] = it.byte() & 0x7F
    it.skip(3)
  end
  return codes
end

local function read_function(it, add)
  it.text()
  local from = it.int()
  it.int()
  it.skip(3)
  local codes = read_codes(it)
  skip_constants(it)
  it.skip(3 * it.int())
  for _ = 1, it.int() do read_function(it, add) end
  read_lines(it, from, codes, add)
end

--- What can run of a policy's text: a list of { line, from } by line, where `from` is the line at
--- which the function begins (0: the file itself). nil and a message: it does not compile.
function coverage.active(text, name)
  local compiled, message = load(text, "@" .. (name or "policy.lua"), "t", {})
  if not compiled then return nil, message end
  local seen, list = {}, {}
  read_function(reader(string.dump(compiled)), function (line, from)
    local key = line .. ":" .. from
    if not seen[key] then list[#list + 1] = { line = line, from = from } end
    seen[key] = true
  end)
  table.sort(list, function (a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.from < b.from
  end)
  return list
end

-- What did -------------------------------------------------------------------------------------

local function line_of(text, number)
  local at = 0
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    at = at + 1
    if at == number then return line end
  end
  return ""
end

--- What of a policy ran, by what allot.core.coverage() counted: { percent, ran, all, missed };
--- missed is a list of { line, from, text }. nil and a message: it does not compile.
function coverage.report(text, name, counted)
  local active, message = coverage.active(text, name)
  if not active then return nil, message end
  local times, made = {}, { ran = 0, all = #active, missed = {} }
  for _, row in ipairs(counted or {}) do times[row.line .. ":" .. row.from] = row.times end
  for _, row in ipairs(active) do
    if times[row.line .. ":" .. row.from] then
      made.ran = made.ran + 1
    else
      made.missed[#made.missed + 1] = {
        line = row.line, from = row.from, text = line_of(text, row.line):match "^%s*(.-)%s*$",
      }
    end
  end
  made.percent = made.all == 0 and 100 or made.ran * 100 // made.all
  return made
end

--- The report in words: "fair.lua: 11 of 12 lines ran (91 %)", then the lines that did not.
function coverage.words(report, name)
  local out = { ("%s: %d of %d lines ran (%d %%)"):format(name, report.ran, report.all,
    report.percent) }
  for _, row in ipairs(report.missed) do
    local where = row.from == row.line and " (its function is never called)" or ""
    out[#out + 1] = ("  %s:%d: %s%s"):format(name, row.line, row.text, where)
  end
  return table.concat(out, "\n")
end

return coverage
