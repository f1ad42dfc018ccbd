-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Completion for fish, which has a line for each verb and option.

local OFFERS = {
  PLAN = "(_allot_files json)", STATE = "(_allot_files json)",
  POLICY = "(_allot_files lua) (_allot_policies)", TRACE = "(_allot_files swf gz jsonl)",
  FILE = "(__fish_complete_path)", DIR = "(__fish_complete_directories)", VERB = "(_allot_verbs)",
  TOPIC = "(_allot_topics)", ADDRESS = "(_allot_files sock)",
}

-- fish's own __fish_complete_suffix offers every file, those wanted first.
local FILES = [[
function _allot_files
    set -l token (commandline -ct)
    set -l found $token*/
    for suffix in $argv
        set -a found $token*.$suffix
    end
    string join \n -- $found
end
]]

local function quoted(text)
  return "'" .. text:gsub("['\\]", "\\%0") .. "'"
end

--- The commands or words that fish offers for alternatives.
local function alternatives(words)
  local offers = {}
  for word in words:gmatch "[^| .]+" do
    offers[#offers + 1] = OFFERS[word] or word:match "^%l.*"
  end
  return (" -x -a '%s'"):format(#offers > 0 and " " .. table.concat(offers, " ") or "")
end

local function put_options(options, when, out)
  for _, option in ipairs(options) do
    out[#out + 1] = ("complete -c allot -n '%s' -l %s%s%s -d %s\n"):format(when, option.name,
      option.letter ~= "" and " -s " .. option.letter or "",
      option.argument ~= "" and alternatives(option.argument) or "", quoted(option.help))
  end
end

return function (of)
  local out = { "# Completion of `allot` for fish: put it as allot.fish into\n"
    .. "# ~/.config/fish/completions\n\n" }
  for _, name in ipairs { "policies", "verbs", "topics" } do
    out[#out + 1] = ("function _allot_%s\n    string split ' ' '%s'\nend\n"):format(name,
      of.words[name])
  end
  out[#out + 1] = FILES .. "\ncomplete -c allot -f\n"
  put_options(of.options, "__fish_use_subcommand", out)
  for _, verb in ipairs(of.verbs) do
    local when = "__fish_seen_subcommand_from " .. verb.name
    out[#out + 1] = ("complete -c allot -n __fish_use_subcommand -a %s -d %s\n"):format(verb.name,
      quoted(verb.summary))
    if verb.words ~= "" then -- of all operands: fish does not say which of them it is
      out[#out + 1] = ("complete -c allot -n '%s'%s\n"):format(when, alternatives(verb.words))
    end
    put_options(verb.options, when, out)
  end
  return table.concat(out)
end
