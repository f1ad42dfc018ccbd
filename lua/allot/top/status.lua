-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot status`: a running service's report, on one screen.

local core = require "allot.core"
local line = require "allot.text.line"
local draw = require "allot.top.draw"
local Top = require "allot.top"

local INDENT, ROWS = 12, 12
local DONE, NO = 0, 1

--- Words in lines of at most `wide` columns; the first begins at the indent.
local function wrapped(text, wide)
  local lines, open, column = {}, "", INDENT
  for word, blanks in text:gmatch "([^ ]+)( *)" do
    if column > INDENT and column + #word > wide then
      lines[#lines + 1], open, column = open:gsub(" +$", ""), "", INDENT
    end
    open, column = open .. word .. blanks, column + #word + #blanks
  end
  lines[#lines + 1] = open
  return line.safe(table.concat(lines, "\n" .. (" "):rep(INDENT))) .. "\n"
end

--- Marks troubles.
local function put_report(host, rows, wide)
  for _, row in ipairs(rows) do
    host.out(("%s %-10s"):format(row.trouble and "!" or " ", row.name)
      .. wrapped(row.text, wide > 40 and wide or 80))
  end
end

local function put_consumers(host, healthy, wide)
  local top = Top.new(host)
  top.healthy, top.wide, top.seen, top.group = healthy, wide > 60 and wide or 80, ROWS, nil
  top.root.of = top:view({ most = ROWS }, 0)
  host.out("\n" .. draw(top))
  if top.root.of > ROWS then
    host.out(("and %d more: allot top\n"):format(top.root.of - ROWS))
  end
end

local status = {}

function status.status(host)
  local json = host.option "format" == "json"
  local text, _, code = host.call("ask", json and "status" or "report")
  if not text then return code end
  local about = core.decode(text)
  local healthy = about.healthy ~= false
  if json then
    host.out(text .. "\n")
    return healthy and DONE or NO
  end
  local wide = math.tointeger(host.call "terminal":match "%d+")
  put_report(host, about.rows, wide)
  local fine, fault = pcall(put_consumers, host, healthy, wide)
  if not fine and type(fault) ~= "table" then error(fault, 0) end
  return not fine and fault.code or healthy and DONE or NO
end

return status
