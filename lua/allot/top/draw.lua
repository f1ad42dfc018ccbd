-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The screen of `allot top`, line by line: totals, consumers, and an explanation.

local core = require "allot.core"
local line = require "allot.text.line"

--- Numbers of a row and their titles; a narrow terminal leaves out those after the first four,
-- the last first.
local COLUMNS = {
  { "allocated", "allocated" }, { "quota", "quota" }, { "demand", "demand" }, { "owned", "owned" },
  { "borrowed", "borrowed" }, { "lent", "lent" }, { "in_flight", "in flight" },
  { "reserve", "reserved" }, { "shared", "shared" },
}
local ALWAYS = 4 -- columns that show a 0
local NUMBER = 10 -- characters of a number

--- A bar's characters; each has its meaning without colours, too.
local MARKS = {
  own = { "█", "#", "\27[34m" }, borrowed = { "▓", "+", "\27[33m" },
  shared = { "▒", "=", "\27[32m" }, ["in flight"] = { "░", "~", "\27[35m" },
  owned = { "·", ".", "" }, empty = { " ", " ", "" }, quota = { "│", "|", "\27[1m" },
}
local PLAIN = "\27[39;22m"

--- Text cut or padded to a number of columns.
local function fit(text, wide)
  if #text > wide and wide > 0 then return line.safe(text:sub(1, wide - 1)) .. "~" end
  return line.safe(text) .. (" "):rep(wide - #text)
end

local function bound(text, wide)
  return #text > wide and fit(text, wide) or text
end

-- ---- A bar --------------------------------------------------------------------------------------

local function mark_at(row, from, to)
  local middle, held = (from + to) / 2, row.allocated
  local own = math.min(row.own_used, held)
  if row.quota > from and row.quota <= to and row.quota > held then return "quota" end
  if middle >= held then return middle < row.owned and "owned" or "empty" end
  if middle >= held - row.in_flight then return "in flight" end
  if middle < own then return "own" end
  return middle < own + row.borrowed and "borrowed" or row.shared > 0 and "shared" or "own"
end

--- A row's bar of `wide` columns, where all of them are `scale` slots.
local function bar(look, row, scale, wide)
  local out, color = {}, ""
  for i = 0, wide - 1 do
    local mark = MARKS[mark_at(row, scale * i / wide, scale * (i + 1) / wide)]
    if look.color and mark[3] ~= color then
      color = mark[3]
      out[#out + 1] = PLAIN .. color
    end
    out[#out + 1] = mark[look.utf8 and 1 or 2]
  end
  return table.concat(out) .. (look.color and PLAIN or "")
end

--- The scale of bars in a branch: the most that one of its rows reaches.
local function scale_of(top, node)
  local scale = 1
  for i = top.top, top.top + top.seen - 1 do
    local row = top.rows[i]
    if row and top:place(i) == node then
      scale = math.max(scale, row.owned, row.quota, row.allocated)
    end
  end
  return scale
end

-- ---- Lines --------------------------------------------------------------------------------------

--- Divides the width: a name, a bar, and as many numbers as fit.
local function lay_out(wide)
  local numbers = #COLUMNS
  while numbers > 1 and wide - numbers * NUMBER < 44 do numbers = numbers - 1 end
  local left = wide - numbers * NUMBER - 1
  local name = math.max(16, math.min(40, left // 2))
  return { name = name, bar = math.max(4, left - name), numbers = numbers }
end

local function head_lines(top)
  local head, totals = top.head, top.head.totals
  local health = top.healthy and "healthy" or "not healthy (allot status)"
  return ("allot: %s; %s, %d consumers, decision %d, event %d, %s"):format(top.trouble or health,
      type(head.policy) == "string" and head.policy or "", head.consumers, head.seq, head.event,
      core.time(head.now)),
    ("%s%d slots: %d allocated, %d idle; demand %d, lent %d"):format(
      #head.groups > 1 and head.group .. ": " or "", totals.slots, totals.allocated, totals.idle,
      totals.demand, totals.lent)
end

local function name_of(top, number, row)
  local node, _, open = top:place(number)
  if not node then return "  " .. row.path end
  local fold = row.children == 0 and " " or open and "-" or "+"
  return ("  "):rep(node.level) .. fold .. " " .. row.path:match "[^/]*$"
end

local function number_text(value, i)
  if value == 0 and i > ALWAYS then return (" "):rep(NUMBER) end
  local whole = value == math.floor(value) or value > 1e6
  return (whole and "%10.0f" or "%10.2f"):format(value)
end

local function row_line(top, of, number, scale, style)
  local row, here = top.rows[number], number == top.here
  local on, off = here and style "7" or "", here and style "27" or ""
  if not row then return on .. "..." end
  local out = { on, fit(name_of(top, number, row), of.name), off, bar(top.look, row, scale, of.bar),
                " ", on }
  for i = 1, of.numbers do out[#out + 1] = number_text(row[COLUMNS[i][1]], i) end
  return table.concat(out)
end

local function put_rows(top, of, put, style)
  local count, node, scale = top:count(), nil, nil
  for number = top.top, top.top + top.seen - 1 do
    if number < count then
      local now = top:place(number)
      if not scale or now ~= node then scale = scale_of(top, now) end
      node = now
      put(row_line(top, of, number, scale, style))
    elseif not top.plain then
      put ""
    end
  end
end

--- As many lines of the explanation as fit, with long ones wrapped.
local function put_why(top, put, style)
  local room = top.high - 5 - top.seen
  put(style "1;4" .. bound(top.why, top.wide))
  for i = top.why_top + 1, #top.lines do
    local text = line.safe(top.lines[i])
    repeat
      if room > 0 then put(text:sub(1, top.wide)) end
      text, room = text:sub(top.wide + 1), room - 1
    until text == ""
  end
  for _ = 1, room do put "" end
end

--- The marks of bars, as many as fit whole behind a text.
local function legend(top, before)
  local out, room = before, top.wide - #before
  for _, name in ipairs { "own", "borrowed", "shared", "in flight", "owned" } do
    room = room - #name - 3
    if room < 0 then break end
    out = out .. " " .. MARKS[name][top.look.utf8 and 1 or 2] .. " " .. name
  end
  return out
end

local function keys_line(top)
  if top.typed then return "find: " .. top.typed .. "_" end
  if top.why then return "Esc close  PgUp PgDn scroll  Up Down other  q quit" end
  local keys = "Up Down move  Right Left open, close  Enter why  / find%s%s  q quit  "
  return legend(top, keys:format(top.find and "  Esc tree" or "",
    #top.head.groups > 1 and "  g group" or ""))
end

--- The whole screen as a text; `plain`: without escape sequences and keys.
local function draw(top)
  local out, of, plain = {}, lay_out(top.wide), top.plain
  local function style(code) return plain and "" or "\27[" .. code .. "m" end
  local function put(text)
    out[#out + 1] = plain and text:gsub(" +$", "") .. "\n" or text .. "\27[0m\27[K\r\n"
  end
  local first, second = head_lines(top)
  put(style "1" .. bound(first, top.wide))
  put(bound(second, top.wide))
  local titles = style "4" .. fit(top.find and "found" or "consumer", of.name + of.bar + 1)
  for i = 1, of.numbers do titles = titles .. ("%10s"):format(COLUMNS[i][2]) end
  put(titles)
  put_rows(top, of, put, style)
  if plain then
    put(legend(top, "bars:"))
    return table.concat(out)
  end
  if top.why then put_why(top, put, style) end
  return "\27[H" .. table.concat(out) .. style "2" .. keys_line(top) .. "\27[0m\27[K\27[J"
end

return draw
