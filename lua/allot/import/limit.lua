-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Limits of LSF's lsb.resources, as a plan has them.

local lsf = require "allot.import.lsf"
local row_of = require "allot.import.row"
local site = require "allot.import.site"

local limit = {}

local LISTS = {
  { "QUEUES", "queues" }, { "USERS", "users" }, { "HOSTS", "hosts" },
  { "PER_QUEUE", "per_queue" }, { "PER_USER", "per_user" }, { "PER_HOST", "per_host" },
}
local COUNTS = {
  { "SLOTS", "slots" }, { "SLOTS_PER_PROCESSOR", "slots_per_processor" }, { "JOBS", "jobs" },
}
local COUNTED = "a plan's limits are of slots and of jobs"
local WHY = { MEM = COUNTED, SWP = COUNTED, TMP = COUNTED, RESOURCE = COUNTED, LICENSE = COUNTED }

local KNOWN = { NAME = true }
for _, list in ipairs(LISTS) do KNOWN[list[1]] = true end
for _, of in ipairs(COUNTS) do KNOWN[of[1]] = true end

--- Queues of the files, by name; empty: no file has queues.
function limit.all_queues(sections)
  local known = {}
  row_of.each(sections, "queue", "QUEUE_NAME", function (name) known[lsf.trim(name)] = true end)
  return known
end

--- The known queues of a limit; false if all named ones are unknown; nil: all queues.
local function known_queues(list, known, at, note)
  local out, named, kept = {}, 0, 0
  for _, word in ipairs(list) do
    local name = word:gsub("^~", "")
    local with, has = name == word and 1 or 0, name == "all" or known[name] or not next(known)
    named, kept = named + with, kept + (has and with or 0)
    if has then
      out[#out + 1] = word
    else
      note(at, at.col, ("'%s' is no queue of these files, so it is not carried over"):format(word))
    end
  end
  if named > 0 and kept == 0 then return false end
  return out[1] and out or nil
end

--- Users and groups; a lost group's name would be taken for a user.
local function known_users(list, known, at, note)
  for _, word in ipairs(list) do
    local name = word:gsub("^~", "")
    if known.lost[name] or word == "~all" or name == "" then
      note(at, at.col, ("'%s': %s"):format(word,
        known.lost[name] and "this group is not carried over" or "LSF has a name here"))
      return false
    end
  end
  return list
end

--- The subjects of a limit in one of its lists; false: a plan cannot state them.
local function limit_list(row, key, known, note)
  local text, at = row_of.cell(row, key)
  local each = key:find "^PER" and true or nil
  if not text then return at and each end -- `-` is each, where it is no matter of all
  if text == "all" then return each end
  local list = lsf.words(text)
  if key:find "HOST" then return site.known_hosts(list, known.hosts, at, note) or false end
  if key:find "QUEUE" then
    local queues = known_queues(list, known.queues, at, note)
    if queues == nil then return each end
    return queues
  end
  return known_users(list, known.users, at, note)
end

--- Adds a row's lists to `made`; returns whether a plan can state them.
local function fill(made, row, known, note)
  local sayable = true
  for _, of in ipairs(LISTS) do
    local list = limit_list(row, of[1], known, note)
    if list == false then sayable = false else made[of[2]] = list end
  end
  return sayable
end

--- What a row counts: { word, how many } each.
local function counts_of(row, note)
  local out = {}
  for _, of in ipairs(COUNTS) do
    local read = of[1] == "SLOTS_PER_PROCESSOR" and row_of.per_processor or row_of.limit
    local number = read(row, of[1], note)
    if number then out[#out + 1] = { of[2], number } end
    if of[1] == "SLOTS_PER_PROCESSOR" then row_of.note_rounded(row, of[1], number, note) end
  end
  return out
end

--- The reason why a plan cannot state a limit, or nil.
local function fault(made, sayable, counts)
  for _, word in ipairs { "queue", "user", "host" } do
    local of, each = made[word .. "s"], made["per_" .. word]
    if type(of) == "table" and type(each) == "table" then
      return ("PER_%s stands beside %sS"):format(word:upper(), word:upper())
    end
  end
  return not sayable and "whom it is about, a plan cannot say"
    or not counts[1] and "it limits nothing that a plan counts"
end

--- A limit for each thing that a row counts: a plan's limits count one thing.
local function add(out, made, counts, row, known, note)
  for i, of in ipairs(counts) do
    local each = { name = i == 1 and made.name or ("%s, %s"):format(made.name, of[1]) }
    for key, value in pairs(made) do each[key] = each[key] or value end
    each[of[1]] = of[2]
    if of[1] == "slots_per_processor" and not made.per_host then
      note(row, 1, ("%s is not carried over: SLOTS_PER_PROCESSOR is of each host, which PER_HOST "
        .. "says"):format(made.name))
    else
      out.limits = out.limits or {}
      table.insert(out.limits, each)
      known.at[each] = { row = row }
    end
  end
end

function limit.section(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local made = { name = row_of.cell(row, "NAME") or ("limit%d"):format(row.line) }
    row_of.note_others(row, KNOWN, note, WHY)
    local sayable, counts = fill(made, row, known, note), counts_of(row, note)
    local why = fault(made, sayable, counts)
    if why then
      note(row, 1, ("%s is not carried over: %s"):format(made.name, why))
    else
      add(out, made, counts, row, known, note)
    end
  end
end

return limit
