-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Every diagnostic in the sources, and which of them no spec produces.
--
--     ALLOT_DIAGNOSTICS=folder busted ...               writes down what is said (record.lua)
--     lua5.4 spec/support/house/diagnostics.lua folder  tells what was never said; status 1
--
-- A diagnostic is a text of at least three words in the sources of the core and of the language, of
-- which it cannot be seen that it is something else: findings, errors of calls, lines of the log.
-- Where it is printed with numbers and names in it, these may be anything.

package.path = "./?.lua;" .. package.path

local literals = require "spec.support.house.literals"
local shell = require "spec.support.house.shell"

local diagnostics = {}

-- What is no diagnostic: texts of explanations, results and tables, hints, what is looked for.
local OTHER_FILES = {
  "^core/engine/explain/", "^lua/allot/explain/", "^core/cli/verbs%.c$",
  "^core/engine/decision/dispatch%.c$",
  "^core/model/items/members%.c$",
  "^core/test/",
}
-- SQL, and what is written for machines and managers.
local OTHER_TEXTS = {
  "^SELECT ", "^INSERT ", "^DELETE ", "^CREATE ", "^PRAGMA ", "^UPDATE ", "^ALTER ", "^# HELP ",
  "^WITH ", "^BEGIN[; ]", "^SET ", "^DROP ", "^DECLARE ", "^FETCH ", "^NOT EXISTS ", "^ WHERE ",
  "^ +LEFT JOIN ", "coalesce%(", "^ LIMIT ", "^ FROM ", "^ DESC LIMIT", "%) FROM $", "^ AS used",
  "^ a%.backend_start ",
  '^{"', "^default%-src ",
  "^text/plain", '^"?, "', "^STATUS=", "^STOPPING=",
}
-- Of the command what these are given, and texts of `message`.
local COMMAND_CALLS = { allot__cli_fail = true, allot_report_say = true, fail_errno = true }
-- These compare texts. What prints is not named here: it may print a diagnostic.
local OTHER_CALLS = {
  _Static_assert = true, strspn = true, strcspn = true, strtok_r = true, strcmp = true,
  strstr = true, ALLOT__MEMBERS = true, ALLOT__OBJECT = true, ALLOT__FACTS = true, FIELDS = true,
}
local HINTS = {
  allot__doc_fault = 4, allot__doc_warn = 4, allot__cli_fail = 4, allot__error_set = 5,
}
local OTHER_KEYS = { hint = true, doc = true }
-- Of Lua what the language says is a fault, whatever it is.
local LANGUAGE = "^lua/allot/language/"
-- Of other modules what is handed to these, or named so.
local TELLERS = { fail = true, say = true, complain = true }

-- What no spec can produce, or should, and why.
diagnostics.unreachable = {
  ["the document has %zu bytes, allowed less than 4 GiB"] = "it would take such a document",
  ["the document has too many values"] = "it would take 2^31 values",
  ["window %d (%02d:%02d to %02d:%02d%s, %s%s%s)"] = "it is no diagnostic, but names a window",
  ["the function at %s:%d"] = "it is no diagnostic, but names a test",
  ["an error without a text"] = "sandboxes describe every error: a defence",
  ["the script raised a value that is no string"] = "error and assert refuse others: a defence",
  ["error in error handling"] = "made beforehand, where Lua has no memory for it",
  ["the instruction budget is used up"] = "told as the policy's instructions (fault.c)",
  ["a policy has at most %d functions"] = "there is room for all that a policy can say: a defence",
  ["whose file cannot be read: %s"] = "who is root may read every file",
  ["this host has no decision"] = "tools that show a decision are given one: a defence",
  ["the service did not start"] = "bench makes plan, folder and socket by itself: a defence",
  ["the service did not end well"] = "as above",
  ["the service does not answer"] = "as above",
  ["the service refused an edit: "] = "bench's edits are good: a defence",
  ["the service refused: "] = "bench's truths are good: a defence",
  ["there was no memory for it: it counts the next time"] = "an allocation fails: the C tests",
  ["no memory to record what a source told"] = "as above",
  ["no memory to record a decision"] = "an allocation fails: the C tests",
  ["no memory to record another version of the plan"] = "as above",
  ["out of memory"] = "as above",
  ["too many values"] = "unpack gives fewer: a defence",
  ["http: %.200s: libwebsockets or its uv event library cannot begin"] = "as above",
  ["no loop and no sockets can be made"] = "as above, or of open files",
  ["the store %.200s cannot be written anew, so its file does not get smaller: %.200s"] =
    "it would take a disk that gets full just then",
  ["a store in PostgreSQL needs libpq.so.5, which is not there (Debian: libpq5)"]
    = "libpq is there where specs run",
  ["this allot was built without PostgreSQL (libpq-dev)"] = "as above",
  ["the store has less than this service read from it"]
    = "a standby of PostgreSQL that lags would have to be promoted while this one stands by",
  ["it is a standby of another server"] = "libpq is told to look for one that writes: a defence",
  ["a commit that waited for a synchronous standby was cancelled"]
    = "the next attempt follows at once, and waits, too",
  ["this role does not see its own sessions in pg_stat_activity"] = "every role does: a defence",
  ["cannot be led or followed"] = "the server would end between two statements of a start",
  ["the leader's rows do not follow"] = "a store that its leader wrote has no gaps: a defence",
  ["cannot be measured"] = "bench has a server that works: a defence",
  ["no memory to lead"] = "an allocation fails: the C tests",
  ["it is no JSON"] = "as above, for what else would say why",
  ["too many wrong tokens from your address: wait a minute"]
    = "fifty within as many seconds: the C tests count them",
  ["what the change would do is not known: the live version cannot decide"]
    = "cycles would have to fail just while a change waits",
  ["nothing can decide about the cluster as it is, so nothing is compared"]
    = "a state that no version can read: a defence",
  ['the change "%.64s" does not wait any more: found %s']
    = "files would change between the question and its turn",
  ['consumer: the plan has no "%.200s" yet'] = "as below: the call waits until the plan has it",
  ["consumers that events name cannot be added"]
    = "policies that were read before would have to fail: the C tests let memory run out",
  ["%.300s cannot be checked"] = "what check refuses it names: a defence",
}

local function matches(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

local function is_one(path, it)
  local words = select(2, it.text:gsub("%S+", ""))
  if words < 3 or it.text:find "^[%s%w]*$" and words < 4 and it.call == "" then return false end
  if not it.text:gsub("%%[-+ #0-9.*]*[hlzjt]*%a", ""):find "%a%a" then return false end
  if matches(it.text, OTHER_TEXTS) then return false end
  if OTHER_CALLS[it.call] or OTHER_KEYS[it.key] or HINTS[it.call] == it.argument then
    return false
  end
  local command = path:find "^core/cli/" or path:find "^core/bench/"
  return not command or COMMAND_CALLS[it.call] or it.key == "message"
end

local function is_told(path, it)
  return is_one(path, it) and (TELLERS[it.call] or it.key == "message")
end

local sources

--- Every diagnostic: { file, line, text }.
function diagnostics.sources()
  if sources then return sources end
  local list = {}
  local function read(path, kind, test)
    literals.each(shell.read(path), kind, function (it)
      if test(path, it) then list[#list + 1] = { path, it.line, it.text } end
    end)
  end
  for _, path in ipairs(shell.lines "find core -name '*.c' | LC_ALL=C sort") do
    if not matches(path, OTHER_FILES) then read(path, "c", is_one) end
  end
  for _, path in ipairs(shell.lines "find lua -name '*.lua' | LC_ALL=C sort") do
    if not matches(path, OTHER_FILES) then
      read(path, "lua", path:find(LANGUAGE) and is_one or is_told)
    end
  end
  sources = list
  return list
end

--- A format's text as pieces of what is printed.
local function pieces_of(format)
  local text = format:gsub("%%%%", "\2"):gsub("%%[-+ #0-9.*]*\1", "\1")
    :gsub("%%[-+ #0-9.*]*[hlzjt]*[%a]", "\1")
  local pieces = {}
  for piece in text:gsub("\2", "%%"):gmatch "[^\1]+" do pieces[#pieces + 1] = piece end
  return pieces
end

--- Whether a text of what was said has the pieces in order, within few hundred bytes.
local function said(heard, pieces)
  local longest = 1
  for i, piece in ipairs(pieces) do
    if #piece > #pieces[longest] then longest = i end
  end
  local at = heard:find(pieces[longest], 1, true)
  while at do
    local from = math.max(1, at - 2000)
    local window, place = heard:sub(from, at + 4000), 1
    local i = 1
    while i <= #pieces and place do
      place = select(2, window:find(pieces[i], place, true))
      i = i + 1
    end
    if place then return true end
    at = heard:find(pieces[longest], at + 1, true)
  end
  return false
end

--- The diagnostics that are not in `heard`.
function diagnostics.missing(heard)
  local list = {}
  for _, it in ipairs(diagnostics.sources()) do
    if not diagnostics.unreachable[it[3]] and not said(heard, pieces_of(it[3])) then
      list[#list + 1] = it
    end
  end
  return list
end

--- All that record.lua wrote into a folder, and what the C tests compare messages with: these are
-- texts of theirs.
function diagnostics.heard(folder)
  local texts = {}
  for _, path in ipairs(shell.lines "find core/test -name '*.[ch]' | LC_ALL=C sort") do
    literals.each(shell.read(path), "c", function (it) texts[#texts + 1] = it.text end)
  end
  for _, path in ipairs(shell.lines(("find %s -type f | sort"):format(folder))) do
    texts[#texts + 1] = shell.read(path)
  end
  -- In JSON quotes have a backslash; for people a hint is on a line of its own.
  local all = table.concat(texts, "\n"):gsub('\\"', '"')
  return (all:gsub(" %[E%-[%w-]+%]\n +hint: ", "; "))
end

if arg and arg[0] and arg[0]:find("diagnostics.lua", 1, true) then
  local missing = diagnostics.missing(diagnostics.heard(assert(arg[1], "the folder is wanted")))
  for _, it in ipairs(missing) do print(("%s:%d: %s"):format(it[1], it[2], it[3])) end
  print(("%d diagnostics, %d of them no spec produces"):format(#diagnostics.sources(), #missing))
  os.exit(#missing == 0)
end

return diagnostics
