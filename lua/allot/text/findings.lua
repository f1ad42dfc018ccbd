-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Findings for people: what is wrong, where, and what helps.

local line = require "allot.text.line"

local WINDOW, LEAD = 88, 40 -- columns of a source line that are shown; before the fault
local RED, YELLOW, BOLD, RESET = "\27[31m", "\27[33m", "\27[1m", "\27[0m"

-- ---- The source ---------------------------------------------------------------------------------

--- Characters in bytes: UTF-8 without continuation bytes.
local function characters(bytes)
  return select(2, bytes:gsub("[^\128-\191]", ""))
end

--- Does a character begin behind `at` bytes?
local function begins(source, at)
  local byte = source:byte(at + 1)
  return not byte or byte < 128 or byte > 191
end

--- The bytes before the character `count` behind the one at `start`.
local function forward(source, start, count)
  local at = start
  while at < #source and count > 0 do
    repeat at = at + 1 until begins(source, at)
    count = count - 1
  end
  return at
end

local function boundary(source, at)
  while at > 0 and not begins(source, at) do at = at - 1 end
  return at
end

--- The line at fault, and a caret. A tab counts as one column, and is shown as a blank.
local function excerpt(it, paint)
  local source, col = it.source:match "^[^\r\n]*", it.col or 0
  local at = forward(source, 0, col - 1)
  local behind = forward(source, at, math.max(it.width or 1, 1))
  local start = at > LEAD and #source > WINDOW and boundary(source, at - LEAD) or 0
  local stop = #source - start > WINDOW and boundary(source, start + WINDOW) or #source
  local caret = ""
  if col > 0 then
    local lead = characters(source:sub(start + 1, at)) + (start > 0 and 3 or 0)
    local width = characters(source:sub(at + 1, math.min(behind, stop)))
    caret = (" "):rep(lead) .. paint(RED, "^" .. ("~"):rep(width - 1))
  end
  return ("%5d | %s%s%s\n      | %s\n"):format(it.line, start > 0 and "..." or "",
    line.safe(source:sub(start + 1, stop):gsub("\t", " ")), stop < #source and "..." or "", caret)
end

-- ---- A finding ----------------------------------------------------------------------------------

--- Whether the message names the path: as a whole, not as the beginning of another.
local function names(message, path)
  local from, to = message:find(path, 1, true)
  while from do
    local around = message:sub(from - 1, from - 1) .. message:sub(to + 1, to + 1)
    if not around:find "[%w_/-]" then return true end
    from, to = message:find(path, from + 1, true)
  end
  return false
end

local function place(it)
  local numbers = it.line and (":%d"):format(it.line) .. (it.col and (":%d"):format(it.col) or "")
  return line.safe(it.file or "allot") .. (numbers or "") .. ": "
end

local function text_of(it, paint)
  local error = it.severity == "error"
  local about = it.path and it.path ~= "" and not names(it.message, it.path)
  return place(it) .. paint(BOLD .. (error and RED or YELLOW), it.severity .. ":") .. " "
    .. (about and line.safe(it.path) .. ": " or "") .. line.safe(it.message)
    .. (" [%s]\n"):format(it.code) .. (it.source and it.line and excerpt(it, paint) or "")
    .. (it.hint and ("  hint: %s\n"):format(line.safe(it.hint)) or "")
end

local findings = {}

--- Shows the report on standard error, each finding once, though several plans or runs have it;
--- args: "color" if it is colored.
function findings.show(host, args)
  local list, total = host.findings()
  local out, seen = {}, {}
  local function paint(color, text)
    return args[1] == "color" and color .. text .. RESET or text
  end
  for _, it in ipairs(list) do
    local text = text_of(it, paint)
    if not seen[text] then out[#out + 1], seen[text] = text, true end
  end
  if total > #list then out[#out + 1] = ("allot: and %d more\n"):format(total - #list) end
  host.call("note", table.concat(out))
end

return findings
