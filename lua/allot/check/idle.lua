-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Parts of a plan or a policy that have no effect, each with its place.
--
-- A finding here is { code, message, hint, at, width }: `at` a byte of the text.

local of_jobs = require "allot.language.columns".jobs
local names = require "allot.language.names"
local places = require "allot.check.places"
local walk = require "allot.check.walk"

local idle = {}

-- Policies -------------------------------------------------------------------------------------

--- Words that a label follows.
local LABELLED = { fill = true, pool = true, loan = true, guard = true, property = true }

--- The word `kind` of a fill in the policy's text; nil if the fill stands in another text.
local function fill_word(words, text, file, fill)
  local line, of = places.line(fill.at)
  if of ~= file then line = nil end
  local first
  for i, word in ipairs(line and words or {}) do
    local follows = words[i + 1]
    if word.kind == "name" and word.word == fill.kind and places.at(text, word.at) <= line then
      local labelled = follows and follows.kind == "string" and follows.word == fill.label
      local bare = not fill.label and follows and follows.word == "{"
      if labelled or bare and places.at(text, word.at) == line then first = word end
    end
  end
  return first
end

--- Whether a fill's proportion is above 0 for every row.
local function is_positive(by, attributes)
  if type(by) == "number" then return by > 0 end
  for _, it in ipairs(attributes or {}) do
    if it.name == by then return it.min > 0 end
  end
  return false
end

--- A fill's name in messages.
local function called(fill, i)
  return fill.label and ("%s \"%s\""):format(fill.kind, fill.label) or ("fill %d"):format(i)
end

local function idle_fills(declared, each)
  local before
  for i, fill in ipairs(declared.quota or {}) do
    if fill.by == 0 then
      each(fill, ("%s gives nothing to anybody: by = 0"):format(called(fill, i)),
        "by is in which proportion rows get slots; equally is by = 1")
    elseif before then
      each(fill, ("%s never has a slot to give: %s before it fills whatever is needed"):format(
        called(fill, i), before), "say up to which amount the one before fills: up_to")
    end
    local whole = fill.kind == "fill" and (fill.up_to == nil or fill.up_to == "need")
    if whole and is_positive(fill.by, declared.attributes) then
      before = before or called(fill, i)
    end
  end
end

--- Where a word is declared, { name = { ... or ["name"] = { ..., and whether it is read anywhere.
local function use_of(words, name)
  local declared, read
  for i, word in ipairs(words) do
    local before, after = words[i - 1] or {}, words[i + 1] or {}
    local bracket = before.word == "[" and after.word == "]"
    local equals = bracket and words[i + 2] or after
    if word.word == "sum_" .. name and word.kind == "name" then
      read = true
    elseif word.word ~= name or word.kind == "symbol" then
      goto next
    elseif (word.kind == "name" or bracket) and equals.word == "=" then
      declared = declared or word
    elseif word.kind == "name" or not LABELLED[before.word] then
      read = true
    end
    ::next::
  end
  return declared, read
end

--- Attributes declared by a policy and read neither by it nor by the policy that it is `like`.
local function idle_attributes(core, declared, words, each)
  local like = type(declared.said) == "table" and declared.said.like
  local base = like and places.of_policy(core.ready(like) or "") or {}
  for _, kind in ipairs { "attributes", "task_attributes" } do
    for _, it in ipairs(declared[kind] or {}) do
      local word, read = use_of(words, it.name)
      local _, inherited = use_of(base, it.name)
      if word and not read and not inherited and not it.limit then
        each(word, ("nothing reads the %s %s"):format(kind == "attributes" and "attribute"
          or "task attribute", it.name))
      end
    end
  end
end

--- The word `key` of a policy's table; nil: it is not in this text.
local function key_word(words, key)
  for i, word in ipairs(words) do
    local after = words[i + 1] or {}
    if word.kind == "name" and word.word == key and after.word == "=" then return word end
  end
end

--- Calls each(word) for the columns named in the table that is a key's value: texts, and functions'
--- parameters.
local function each_column(words, key, each)
  local depth, parameters, first = 0, false, nil
  for i, word in ipairs(words) do
    first = first or word == key and i + 2
    local before = words[i - 1] or {}
    if not first or i < first then goto next end
    depth = depth + (word.word == "{" and 1 or word.word == "}" and -1 or 0)
    parameters = before.word == "function" or parameters and word.word ~= ")"
    local label = word.kind == "string" and LABELLED[before.word]
    if not label and (word.kind == "string" or parameters and word.kind == "name") then
      each(word)
    end
    if depth == 0 and word.word == "}" then return end
    ::next::
  end
end

--- Columns of jobs that rules for the tasks of consumers read.
local function job_columns(declared, words, each)
  for _, name in ipairs(declared.quota and { "victims", "guards" } or {}) do
    local key = key_word(words, name)
    each_column(key and words or {}, key, function (word)
      if names.has(of_jobs, word.word) then each(name, word) end
    end)
  end
end

--- Findings for a policy's text, which `file` names, and its declarations.
function idle.of_policy(core, file, text, declared)
  local out, words = {}, places.of_policy(text)
  idle_fills(declared, function (fill, message, hint)
    local word = fill_word(words, text, file, fill)
    if word then
      out[#out + 1] = {
        code = "W-fill", message = message, hint = hint, at = word.at, width = #word.word,
      }
    end
  end)
  idle_attributes(core, declared, words, function (word, message)
    out[#out + 1] = {
      code = "W-unread", message = message, at = word.at, width = #word.word,
      hint = "name it in a fill, an order or a guard, or take it out of what is declared",
    }
  end)
  job_columns(declared, words, function (key, word)
    out[#out + 1] = {
      code = "W-unread", at = word.at, width = #word.word,
      message = ("%s reads %s, which only jobs of queues have, and no task of a consumer"):format(
        key, word.word),
      hint = "tasks can state an attribute of another name: task_attributes",
    }
  end)
  local takes = declared.takes and declared.reclaim == false and key_word(words, "takes")
  if takes then
    out[#out + 1] = {
      code = "W-unread", message = "nobody takes slots: reclaim = false, so takes is never asked",
      at = takes.at, width = #takes.word,
      hint = "leave out reclaim = false, or takes",
    }
  end
  return out
end

-- Plans ----------------------------------------------------------------------------------------

--- Calls visit(path, columns, their place) for everything that a plan states about consumers.
local function each_row(plan, where, visit)
  local function each(list, spots, above)
    for i, node in ipairs(list or {}) do
      local path, spot = above .. "/" .. node.name, spots[i]
      visit(path, node, spot)
      if node.children then each(node.children, spot.children.inner, path) end
    end
  end
  local function differ(holder, spot)
    for path, columns in pairs(holder.consumers or {}) do
      visit(path, columns, spot.consumers.inner[path].inner)
    end
  end
  if plan.consumers then each(plan.consumers, where.consumers.inner, "") end
  for name, group in pairs(plan.groups or {}) do differ(group, where.groups.inner[name].inner) end
  for i, window in ipairs(plan.windows or {}) do differ(window, where.windows.inner[i]) end
end

local GRACE = "the grace of leaves decides; with the option \"ancestor_grace\" that of the closest "
  .. "branch above both does (E-31)"
local BACKFILL = "no slots are reserved for jobs here, so that nobody could run on them; it says "
  .. "something beside \"interruptible_backfill\" (P-43)"

--- Findings for a plan's text and its valid document.
function idle.of_plan(text, plan)
  local out, where = {}, nil
  local function say(path, key, spot, hint)
    out[#out + 1] = {
      code = "W-no-effect", message = ("%s: %s has no effect there"):format(path, key),
      hint = hint, at = spot[key].at, width = spot[key].width, path = path,
    }
  end
  local branches = {} -- paths of consumers that have children
  walk(plan.consumers, function (path, node) branches[path] = node.children and true end)
  local alone = not (plan.options or {}).ancestor_grace
  if next(branches) and alone and text:find('"grace"', 1, true) then
    where = places.of_plan(text)
    each_row(plan, where, function (path, columns, spot)
      if branches[path] and (columns.grace or 0) ~= 0 then say(path, "grace", spot, GRACE) end
    end)
  end
  for i, queue in ipairs(plan.queues or {}) do
    if queue.backfill and not queue.interruptible_backfill then
      where = where or places.of_plan(text)
      say(queue.name, "backfill", where.queues.inner[i], BACKFILL)
    end
  end
  table.sort(out, function (a, b) return a.at < b.at end)
  return out
end

return idle
