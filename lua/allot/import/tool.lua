-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The verb `import`: makes a plan of what another scheduler's files say, checks it as `check`
--- does, and lists what it left out.

local core = require "allot.core"
local lines = require "allot.text.line"
local nearest = require("allot.language.names").nearest
local plan = require "allot.import.plan"
local slot = require "allot.import.slot"
local text = require "allot.import.text"

-- Formats, `key` being the word of --from; a text is of the first whose is(text) is true. `alone`:
-- all files of an import are such ones. `markup`: it needs the command's reader of XML and YAML,
-- host.markup. `like`: groups' slots are alike, of one --slot.
local FORMATS = {
  { name = "Slurm", key = "slurm", of = require "allot.import.slurm", alone = true },
  { name = "HTCondor", key = "condor", of = require "allot.import.condor" },
  { name = "OpenPBS", key = "pbs", of = require "allot.import.pbs" },
  { name = "Kueue", key = "kueue", of = require "allot.import.kueue", markup = true, like = true },
  { name = "EGO", key = "ego", of = require "allot.import.ego", markup = true, like = true },
  { name = "YARN", key = "yarn", of = require "allot.import.yarn", markup = true, like = true },
  { name = "LSF", key = "lsf", of = {
    of = plan.of, is = function (bytes) return bytes:find "%f[%w]Begin%s+%a" ~= nil end,
  } },
}

local DONE, USAGE, INVALID, IO = 0, 2, 3, 5
local MOST = 64 -- files

local tool = {}

-- A line of the file of that name, for people.
local function source_of(files, name, line)
  for _, file in ipairs(files) do
    if file.name == name and file.text ~= "" then
      local at = 1
      for _ = 2, line do
        at = (file.text:find("\n", at, true) or #file.text) + 1
      end
      local source = file.text:sub(at):match "^[^\n]*"
      return at <= #file.text and source:gsub("\r$", "") or nil
    end
  end
end

local function fail(host, files, place, code, message, hint)
  local line = place.line or 1
  host.say {
    severity = "error", code = code, file = place.file, line = line, col = place.col or 1,
    message = message, hint = hint, source = source_of(files, place.file, line),
  }
end

local function tell(host, notes)
  for _, note in ipairs(notes) do
    host.say {
      severity = "warning", code = "W-import", file = note.file, line = note.line or 1,
      col = note.col or 1, message = note.text,
    }
  end
end

local function fatal(notes)
  local found = {}
  for _, note in ipairs(notes) do
    if note.fatal then found[#found + 1] = note end
  end
  return found
end

local function known(file)
  for _, format in ipairs(FORMATS) do
    if format.of.is(file.text) then return format end
  end
end

--- What is said of a file that is of no format.
local function say_stranger(host, files, file, found)
  local said = "no file of LSF (Begin Queue), Slurm (what sacctmgr dump or sacctmgr show assoc "
    .. "tree -P prints), HTCondor (GROUP_NAMES), OpenPBS (resource_group), Kueue, EGO or YARN"
  if found then
    said = ("this is no file of %s, as others are"):format(found.name)
  elseif file.text:find "^[^\n]*JobIDRaw" then
    said = "this is a log of jobs: allot simulate reads it"
  end
  fail(host, files, { file = file.name }, "E-import", said, not found
    and "--from says what they are" or nil)
end

--- The format of that key; nil: there is none, which is reported.
local function format_of_key(host, key)
  local keys = {}
  for i, format in ipairs(FORMATS) do
    if format.key == key then return format end
    keys[i] = format.key
  end
  local near = nearest(key, keys)
  host.say { severity = "error", code = "E-usage",
    message = ("--from is %s, not %q"):format(table.concat(keys, "|"), key),
    hint = near and ("did you mean %s?"):format(near) }
end

--- The format of files that are one site's; nil: they are not, which is reported.
local function format_of(host, files)
  if #files == 0 then return FORMATS[#FORMATS] end
  local found, first, stranger = nil, nil, nil
  for _, file in ipairs(files) do
    local format = known(file)
    if format and found and found ~= format then
      fail(host, files, { file = file.name }, "E-import", ("this is a file of %s, and %s of %s:"
        .. " files of one import are one site's"):format(format.name, first.name, found.name))
      return nil
    end
    found, first = found or format, first or format and file
    stranger = stranger or not format and file or nil
  end
  if found and not (found.alone and stranger) then return found end
  say_stranger(host, files, stranger, found)
end

--- Reads what the options --slot and --slots say of a format's groups; nil: a fault, reported.
local function options_of(host, format, given)
  local groups, fault = slot.sized(given.slot or {}, given.slots or {}, format.like)
  if not groups then
    host.say { severity = "error", code = "E-usage", message = fault }
    return nil
  end
  return { groups = groups, slots = not groups[1].name and groups[1].slots or nil,
           wildcard = given.wildcard, markup = host.markup }
end

--- Writes the plan of the named files; the host reads the text of the i-th as "i". `given` has the
--- words of --slot and --slots, the word of --from, and whether --wildcard is there. Returns 0; 1
--- where the files give no plan, 2 where options do not fit.
function tool.run(host, names, given)
  local files = {}
  for i, name in ipairs(names) do
    files[i] = { name = name, text = assert(host.read(tostring(i))) }
  end
  given = given or {}
  local format = (given.from and format_of_key or format_of)(host, given.from or files)
  if not format then return given.from and USAGE or 1 end
  local options = options_of(host, format, given)
  if not options then return USAGE end
  if format.markup and not host.markup then
    fail(host, files, { file = files[1].name }, "E-import", ("files of %s are read by the command "
      .. "`allot import` alone"):format(format.name))
    return 1
  end
  local made, notes, at = format.of.of(files, options)
  local document, spans = text.of(made, at)
  local reasons = fatal(notes)
  for _, note in ipairs(reasons) do fail(host, files, note, "E-import", note.text) end
  if #reasons > 0 then return 1 end
  local good, message, findings = core.plan(document, { file = "plan" })
  for _, finding in ipairs(good and {} or findings) do
    if finding.severity == "error" then
      local place = text.place(document, spans, finding.line or 0, finding.col or 0)
        or { file = names[1] or "plan" }
      fail(host, files, place, finding.code, finding.message, finding.hint)
      reasons[#reasons + 1] = finding
    end
  end
  if #reasons > 0 then return 1 end
  assert(good, message)
  host.out(document)
  tell(host, notes)
  return 0
end

--- The texts of the files by "1", "2", ...; nil: one cannot be read, which is reported.
local function read_all(host, paths)
  local texts, names = {}, {}
  for i, path in ipairs(paths) do
    local bytes, why = host.read(path)
    names[i] = path == "-" and "<stdin>" or path
    if not bytes then
      host.say { severity = "error", code = "E-io", file = names[i],
                 message = "cannot be read: " .. why }
      return nil
    end
    texts[tostring(i)] = bytes
  end
  return texts, names
end

local function note_line(note)
  return lines.safe(("%s:%d:%d: note: %s\n"):format(note.file, note.line, note.col, note.message))
end

local function note_member(note)
  return ('\n{"file": %s, "line": %d, "col": %d, "message": %s}'):format(core.encode(note.file),
    note.line, note.col, core.encode(note.message))
end

--- The verb: the plan goes to standard output and notes to standard error; as a document both are
--- one.
function tool.import(host, paths)
  if #paths > MOST then
    host.say { severity = "error", code = "E-usage",
               message = ("import reads at most %d files"):format(MOST) }
    return USAGE
  end
  local texts, names = read_all(host, paths)
  if not texts then return IO end
  local json, document, notes = host.option "format" == "json", nil, {}
  local code = tool.run({
    read = function (number) return texts[number] end,
    markup = host.call,
    out = function (made) document = made end,
    say = function (finding)
      if finding.severity == "error" then return host.say(finding) end
      notes[#notes + 1] = (json and note_member or note_line)(finding)
    end,
  }, names, { slot = slot.words(host.option "slot"), slots = slot.words(host.option "slots"),
    from = host.option "from", wildcard = host.option "wildcard" ~= nil })
  if code ~= 0 then return code == USAGE and USAGE or INVALID end
  if json then
    host.out(('{"schema": "allot/import/v1", "plan":\n%s, "notes": [%s%s]}\n'):format(document,
      table.concat(notes, ","), #notes > 0 and "\n" or ""))
  else
    host.out(document)
    host.call("note", table.concat(notes))
  end
  return DONE
end

return tool
