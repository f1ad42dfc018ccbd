-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Help of the command and of its verbs, on pages of 80 columns.

local PAGE, RIGHT = 80, 34 -- columns, and where the right one of two begins

--- Words in lines that fit the page; all lines but the first get `indent`.
local function fill(text, indent)
  local out, at = {}, nil
  for word in text:gmatch "[^ \n]+" do
    local fits = at and at + 1 + #word <= PAGE
    if at then out[#out + 1] = fits and " " or "\n" .. (" "):rep(indent) end
    out[#out + 1] = word
    at = (fits and at + 1 or indent) + #word
  end
  return table.concat(out) .. "\n"
end

--- A word and, beside it, its meaning; below it if the word is long.
local function item(left, right)
  local space = RIGHT - 2 - #left
  return "  " .. left .. (space > 0 and (" "):rep(space) or "\n" .. (" "):rep(RIGHT))
    .. fill(right, RIGHT)
end

--- Paragraphs fill the page; lines that begin with a blank stay as they are.
local function put_text(text, out)
  local paragraph = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    local literal = line == "" or line:find "^ "
    if literal and #paragraph > 0 then
      out[#out + 1] = fill(table.concat(paragraph, " "), 0)
      paragraph = {}
    end
    if literal then out[#out + 1] = line .. "\n" else paragraph[#paragraph + 1] = line end
  end
  out[#out] = nil -- the text's own last end of a line
end

local function put_options(options, out)
  out[#out + 1] = "\noptions:\n"
  for _, option in ipairs(options) do
    out[#out + 1] = item(("%3s --%s%s"):format(
      option.letter ~= "" and ("-%s,"):format(option.letter) or "", option.name,
      option.argument ~= "" and " " .. option.argument or ""), option.help)
  end
end

local help = {}

function help.verb(verb)
  local function usage(words, operands)
    return ("%s allot %s%s [OPTION...]\n"):format(words, verb.name,
      operands ~= "" and " " .. operands or "")
  end
  local out = { usage("usage:", verb.operands) }
  if verb.live then
    out[2] = usage("      ", "--socket ADDRESS" .. (verb.live ~= "" and " " .. verb.live or ""))
  end
  out[#out + 1] = "\n"
  put_text(verb.text, out)
  put_options(verb.options, out)
  return table.concat(out)
end

function help.command(of)
  local out = {
    ("allot %s: who gets how many slots, and who gives them back\n\n"):format(of.version),
    "usage: allot VERB [OPTION...]\n\n",
  }
  for _, verb in ipairs(of.verbs) do
    out[#out + 1] = item(verb.name .. " " .. verb.operands, verb.summary)
  end
  put_options(of.options, out)
  out[#out + 1] = "\nA file named - is standard input.\n\nexit status:\n"
  for _, exit in ipairs(of.exits) do out[#out + 1] = ("%3d  %s\n"):format(exit[1], exit[2]) end
  out[#out + 1] = "\nOf the language of policies: allot help policy, columns, diagnostics,\n"
    .. "testing, or any word of it. Of a rule that is cited: allot help C-6.\n"
  return table.concat(out)
end

return help
