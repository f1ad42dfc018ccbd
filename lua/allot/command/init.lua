-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Makes help, completion and allot(1) from the command's tables of verbs and options.
--
-- host.call "verbs" has the tables as lines of fields that end in "\31": "verb", name, operands and
-- those with --socket, if any; "option", name, letter, argument, of the verb before, or, before all
-- verbs, of the command.

local core = require "allot.core"
local help = require "allot.command.help"
local manual = require "allot.command.manual"
local options = require "allot.command.options"
local reference = require "allot.reference"
local topics = require "allot.reference.help"
local verbs = require "allot.command.verbs"

local command = {}

local SHELLS = {
  bash = require "allot.command.bash", zsh = require "allot.command.zsh",
  fish = require "allot.command.fish",
}
local DONE, USAGE = 0, 2

-- ---- The tables ---------------------------------------------------------------------------------

local EXITS = {
  { 0, "done" }, { 1, 'done, and the answer is "no"' }, { 2, "wrong words on the command line" },
  { 3, "invalid plan, state or policy, or nothing was checked" },
  { 4, "a policy failed while running" }, { 5, "a file or stream could not be read or written" },
  { 70, "an internal bug, or out of memory" },
}

local ROWS = {
  verb = function (of, name, operands, live)
    of.verbs[#of.verbs + 1] = {
      name = name, operands = operands, live = live, summary = verbs[name][1],
      text = verbs[name][2], words = operands:gsub("[%[%]]", ""), options = {},
    }
  end,
  option = function (of, name, letter, argument)
    local list = (of.verbs[#of.verbs] or of).options
    list[#list + 1] = { name = name, letter = letter, argument = argument, help = options[name] }
  end,
}

local function read(host)
  local of, names = { verbs = {}, options = {}, exits = EXITS, version = core.version }, {}
  for row in host.call "verbs":gmatch "[^\n]+" do
    local fields = {}
    for field in row:gmatch "([^\31]*)\31" do fields[#fields + 1] = field end
    ROWS[fields[1]](of, table.unpack(fields, 2))
  end
  for i, verb in ipairs(of.verbs) do names[i] = verb.name end
  of.names = names
  of.words = { verbs = table.concat(names, " "), topics = table.concat(topics.topics(), " "),
               policies = table.concat(core.ready(), " ") }
  return of
end

-- ---- What bash and zsh share --------------------------------------------------------------------

-- One word a line, since zsh does not split unquoted text.
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
local function option_words(list)
  local words = {}
  for i, option in ipairs(list) do
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

--- Argument: the shell.
function command.completion(host, arguments)
  local put = SHELLS[arguments[1]]
  if not put then
    host.say { severity = "error", code = "E-usage", message =
      ("completion is for bash, zsh or fish, not %q"):format(arguments[1]:sub(1, 100)) }
    return USAGE
  end
  local of = read(host)
  of.functions = function () return functions(of) end
  host.out(put(of))
  return DONE
end

--- Argument: a verb, or a topic of the language; none: the command itself.
function command.help(host, arguments)
  local topic, of = arguments[1] or "", read(host)
  if topic == "" then
    host.out((host.option "format" == "scdoc" and manual or help.command)(of))
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
