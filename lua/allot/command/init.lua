-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What is made of the command's tables of verbs and options: help, completion, and allot(1).
--
-- The last argument has the tables as rows that end in "\30", of fields that end in "\31": "verb",
-- name, operands, summary, text; "live", the operands of the verb before with --socket; "option",
-- name, letter, argument, help, of the verb before, or, before all verbs, of the command; "exit",
-- status, text; "policies", names with blanks between; "version", the command's.

local help = require "allot.command.help"
local manual = require "allot.command.manual"
local reference = require "allot.reference"
local topics = require "allot.reference.help"

local command = {}

local SHELLS = {
  bash = require "allot.command.bash", zsh = require "allot.command.zsh",
  fish = require "allot.command.fish",
}
local DONE, USAGE = 0, 2

-- ---- The tables ---------------------------------------------------------------------------------

local ROWS = {
  verb = function (of, name, operands, summary, text)
    of.verbs[#of.verbs + 1] = { name = name, operands = operands, summary = summary, text = text,
                                words = operands:gsub("[%[%]]", ""), options = {} }
  end,
  live = function (of, operands) of.verbs[#of.verbs].live = operands end,
  option = function (of, name, letter, argument, text)
    local options = (of.verbs[#of.verbs] or of).options
    options[#options + 1] = { name = name, letter = letter, argument = argument, help = text }
  end,
  exit = function (of, status, text) of.exits[#of.exits + 1] = { status, text } end,
  policies = function (of, names) of.words.policies = names end,
  version = function (of, text) of.version = text end,
}

local function read(text)
  local of, names = { verbs = {}, options = {}, exits = {}, words = {} }, {}
  for row in text:gmatch "([^\30]*)\30" do
    local fields = {}
    for field in row:gmatch "([^\31]*)\31" do fields[#fields + 1] = field end
    ROWS[fields[1]](of, table.unpack(fields, 2))
  end
  for i, verb in ipairs(of.verbs) do names[i] = verb.name end
  of.names = names
  of.words.verbs, of.words.topics = table.concat(names, " "), table.concat(topics.topics(), " ")
  return of
end

-- ---- What bash and zsh share --------------------------------------------------------------------

-- One word a line, since zsh does not split what is not quoted.
local ARGUMENT = [[
# What the option $2 of the verb $1 takes; fails where it takes nothing.
_allot_argument() {
    local each name
    while IFS= read -r each; do
        name=${each%%=*}
        if [ "$name" != "$each" ]; then
            case ",$name," in *",$2,"*) echo "${each#*=}"; return 0 ;; esac
        fi
    done <<.
$(_allot_options "$1" | tr ' ' '\n')
.
    return 1
}

]]

--- Options as "-f,--format=text|json", "--seed=N" or "--help".
local function option_words(options)
  local words = {}
  for i, option in ipairs(options) do
    words[i] = (option.letter ~= "" and ("-%s,"):format(option.letter) or "") .. "--" .. option.name
      .. (option.argument ~= "" and "=" .. option.argument or "")
  end
  return table.concat(words, " ")
end

--- The shell functions _allot_verbs, _allot_policies and _allot_topics, _allot_operands VERB and
-- _allot_options VERB, which print words, and _allot_argument VERB OPTION.
local function functions(of)
  local out = {}
  local function put(format, ...) out[#out + 1] = format:format(...) end
  for _, name in ipairs { "verbs", "policies", "topics" } do
    put("_allot_%s() { echo '%s'; }\n", name, of.words[name])
  end
  put "\n_allot_operands() {\n    case $1 in\n"
  for _, verb in ipairs(of.verbs) do put("    %s) echo '%s' ;;\n", verb.name, verb.words) end
  put "    esac\n}\n\n_allot_options() {\n    case $1 in\n"
  for _, verb in ipairs(of.verbs) do
    put("    %s) echo '%s' ;;\n", verb.name, option_words(verb.options))
  end
  put("    *) echo '%s' ;;\n    esac\n}\n\n", option_words(of.options))
  return table.concat(out) .. ARGUMENT
end

-- ---- Verbs --------------------------------------------------------------------------------------

--- Arguments: the shell, the tables.
function command.completion(host, arguments)
  local of, put = read(arguments[2]), SHELLS[arguments[1]]
  if not put then
    host.say { severity = "error", code = "E-usage", message =
      ("completion is for bash, zsh or fish, not %q"):format(arguments[1]:sub(1, 100)) }
    return USAGE
  end
  of.functions = function () return functions(of) end
  host.out(put(of))
  return DONE
end

--- Arguments: a verb, a topic of the language, or "" for the command itself; the tables.
function command.help(host, arguments)
  local topic, of = arguments[1], read(arguments[2])
  if topic == "" and host.option "format" == "scdoc" then
    host.out(manual(of))
    return DONE
  end
  if topic == "" then
    host.out(help.command(of))
    return DONE
  end
  for _, verb in ipairs(of.verbs) do
    if verb.name == topic then
      host.out(help.verb(verb))
      return DONE
    end
  end
  return reference.help(host, { topic, table.unpack(of.names) }) -- verbs, for what was meant
end

return command
