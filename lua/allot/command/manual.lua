-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- allot(1), as scdoc reads it.

local HEAD = [[
allot(1)

# NAME

allot - who gets how many slots of a cluster, and who gives them back

# SYNOPSIS

*allot* _VERB_ [_OPTION_...]

# DESCRIPTION

A plan states who owns what, a state what is demanded and held, a policy how rules combine; *allot*
decides, in whole numbers and with reasons. A file named - is standard input.

# VERBS

]]

--- Text that scdoc takes as it stands: a "-" at the beginning would be a list.
local function plain(text)
  return (text:gsub("[\\_*~<>#]", "\\%0"):gsub("^%-", "\\%0"))
end

--- A verb's text: indented lines are examples, printed literally.
local function put_text(text, out)
  local literal = false
  for line in text:gmatch "([^\n]*)\n?" do
    local example = line:match "^  (.*)"
    if (example ~= nil) ~= literal then out[#out + 1] = "```\n" end
    literal = example ~= nil
    out[#out + 1] = (example or plain(line)) .. "\n"
  end
  out[#out + 1] = literal and "```\n\n" or "\n"
end

local function put_options(options, told, out)
  for _, option in ipairs(options) do
    if told[option.name] ~= option.argument then
      out[#out + 1] = ("%s*--%s*%s\n\t%s\n\n"):format(
        option.letter ~= "" and ("*-%s*, "):format(option.letter) or "", option.name,
        option.argument ~= "" and " " .. plain(option.argument) or "", plain(option.help))
    end
  end
end

return function (of)
  local out, told = { HEAD }, {}
  -- Options of every verb are listed once, except where a verb has other words.
  for _, option in ipairs(of.options) do told[option.name] = option.argument end
  for _, verb in ipairs(of.verbs) do
    out[#out + 1] = ("## allot %s %s"):format(verb.name, plain(verb.operands)):gsub(" +$", "")
    out[#out + 1] = ("\n\n%s.\n\n"):format(plain(verb.summary:gsub("^%l", string.upper)))
    if verb.live then
      out[#out + 1] = ("*allot %s --socket* ADDRESS %s"):format(verb.name, plain(verb.live))
        :gsub(" +$", "") .. "\n\n"
    end
    put_text(verb.text, out)
    put_options(verb.options, told, out)
  end
  out[#out + 1] = "# OPTIONS OF ALL VERBS\n\n"
  put_options(of.options, {}, out)
  out[#out + 1] = "# EXIT STATUS\n\n"
  for _, exit in ipairs(of.exits) do
    out[#out + 1] = ("*%s*\n\t%s\n\n"):format(exit[1], plain(exit[2]))
  end
  out[#out + 1] = "# SEE ALSO\n\nallot-plan(5), allot-policy(7)\n"
  return table.concat(out)
end
