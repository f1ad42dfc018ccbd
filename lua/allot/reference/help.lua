-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Help for policy authors, from the table of the API: a topic's text, all topics, the nearest.
--
-- A topic is a word ("fill"), a word's argument ("policy", "attributes"), a key of a policy
-- ("quota"), a column ("in_flight"), a key of what a state lists ("usage_at"), a diagnostic's code
-- ("E-range"), the number of a rule that explanations cite ("C-6"), a term of results or services
-- ("lent"), a policy that `allot init` begins with, or one of a few lists.

local names = require "allot.language.names"
local api = require "allot.reference.api"
local codes = require "allot.reference.api.codes"
local core = require "allot.core"
local members = require "allot.reference.members"

local help = {}

local WIDTH = 78

--- Text in lines of at most 78 bytes, each behind `indent`.
local function wrapped(text, indent)
  local lines, line = {}, indent
  for word in text:gmatch "%S+" do
    if #line + #word + 1 > WIDTH and line ~= indent then
      lines[#lines + 1], line = line, indent
    end
    line = line .. (line == indent and "" or " ") .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function add_rows(out, title, rows)
  if #rows == 0 then return end
  out[#out + 1] = "\n" .. title
  for _, row in ipairs(rows) do
    out[#out + 1] = ("  %s"):format(row[1]) .. (row[2] and ": " .. row[2] or "")
    if row[3] and row[3] ~= "" then out[#out + 1] = wrapped(row[3], "      ") end
  end
end

local function add_example(out, example)
  if example then
    out[#out + 1] = "\nexample:\n  " .. example:gsub("\n", "\n  ")
  end
end

local function field_rows(class)
  local rows = {}
  for i, field in ipairs(class.fields) do
    local kind, optional = api.optional(field)
    local default = field.default and " (" .. field.default .. ")" or ""
    rows[i] = { field[1] .. (optional and "?" or ""), kind, field[3] .. default }
  end
  return rows
end

local function entry_text(entry)
  local out = { api.call(entry), wrapped(entry.doc, "  ") }
  if entry.differs then out[#out + 1] = wrapped("Not as in stock Lua: " .. entry.differs .. ".",
    "  ") end
  add_rows(out, "takes:", entry.params or {})
  local gives = {}
  for i, value in ipairs(entry.returns or { { entry.type } }) do
    gives[i] = { value[1], nil, value[2] }
  end
  add_rows(out, entry.params and "gives:" or "is:", gives)
  local class = api.class(entry.name)
  if class then add_rows(out, ("keys of %s { ... }:"):format(entry.name), field_rows(class)) end
  if entry.errors then out[#out + 1] = "\n" .. wrapped("Refuses: " .. entry.errors .. ".", "") end
  add_example(out, entry.example)
  return table.concat(out, "\n") .. "\n"
end

local function class_text(class)
  local out = { class.of or class.name, wrapped(class.doc, "  ") }
  add_rows(out, "keys:", field_rows(class))
  return table.concat(out, "\n") .. "\n"
end

local function key_text(class, field)
  local kind, optional = api.optional(field)
  local out = { ("%s, a key of %s { ... }"):format(field[1], class.of or class.name),
    wrapped(field[3] .. ".", "  "), "\ntype:\n  " .. kind }
  if optional then
    out[#out + 1] = "\nwhere it is left out:\n" .. wrapped(field.default or "nothing", "  ")
  end
  add_example(out, field.example)
  return table.concat(out, "\n") .. "\n"
end

local function columns_text(name)
  local out = {}
  for _, rows in ipairs(api.rows) do
    local found = {}
    for _, column in ipairs(core.columns(rows[1])) do
      if name == nil or column.name == name then
        found[#found + 1] = { column.name, nil, column.doc }
      end
    end
    add_rows(out, rows[2] .. ":", found)
  end
  return #out > 0 and table.concat(out, "\n"):sub(2) .. "\n" or nil
end

--- Calls visit(row, item) for each key of the items of a state.
local function each_member(visit)
  for _, item in ipairs(members.ITEMS) do
    for _, row in ipairs(members.rows(core.members(item[1]))) do visit(row, item[1]) end
  end
end

local function members_text(name)
  local out = {}
  each_member(function (row, item)
    if row[1] == name then
      add_rows(out, ("Keys of %ss in a state:"):format(item), { { row[1], row[2], row[3] } })
    end
  end)
  return #out > 0 and table.concat(out, "\n"):sub(2) .. "\n" or nil
end

--- Terms of a section, or of all; of one name, or all.
local function terms_text(section, name)
  local out = {}
  for _, it in ipairs(api.terms) do
    local found = {}
    for _, row in ipairs((section == nil or section == it[1]) and it[3] or {}) do
      if name == nil or row[1] == name then found[#found + 1] = { row[1], nil, row[2] } end
    end
    add_rows(out, it[2] .. ":", found)
  end
  return #out > 0 and table.concat(out, "\n"):sub(2) .. "\n" or nil
end

--- A ready-made policy, or another scheduler's rules.
local function policy_text(name)
  local text = core.ready(name) or core.peer(name)
  local doc = text and assert(core.policy(text, { file = name })):declared().doc
  local begins = name ~= "shared_lease" -- its plans are of two clusters
    and ("\nto begin with it:\n  allot init --like %s NAME\n"):format(name) or ""
  return text and ("%s, a policy\n%s\n%s"):format(name, wrapped(doc or "", "  "), begins)
end

--- Its words, each with the first sentence about it.
local function group_text(group)
  local out = { group[2] .. ":" }
  for _, entry in ipairs(api.entries) do
    if entry.group == group[1] then
      out[#out + 1] = "  " .. api.call(entry)
      out[#out + 1] = wrapped((entry.doc .. " "):match "^(.-%.) " or entry.doc, "      ")
    end
  end
  if group[3] then out[#out + 1] = "\n" .. wrapped(group[3], "") end
  return table.concat(out, "\n") .. "\n"
end

local function codes_text(name)
  local out = {}
  for _, row in ipairs(codes) do
    if name == nil or row[1]:lower() == name:lower() then
      out[#out + 1] = row[1] .. "\n" .. wrapped(row[2], "  ")
    end
  end
  return #out > 0 and table.concat(out, "\n") .. "\n" or nil
end

--- Rules by number, from core/RULES.md: "* **C-1 Scale.** ..." and its continuation lines.
local function read_rules()
  local rules, text, numbers = {}, nil, ""
  local function close()
    for number in numbers:gmatch "%u+%-%d+" do rules[number] = text end
    numbers = ""
  end
  for line in core.rules:gmatch "[^\n]*" do
    local head, rest = line:match "^%* %*%*(.-)%*%*(.*)"
    if head then
      close()
      numbers = head:match "^[%u%d%-, ]*%d"
      text = (head .. rest):sub(#numbers + 1)
    elseif numbers ~= "" and line:find "^  " then
      text = text .. line:sub(2)
    else
      close()
    end
  end
  close()
  return rules
end

local rules = read_rules()

local function rule_text(name)
  local number = name:upper()
  return rules[number] and ("%s, a rule\n%s\n"):format(number, wrapped(rules[number], "  "))
end

--- The rule that names a word of documents, like half_life.
local function rule_naming(word)
  local found
  for number, text in pairs(rules) do
    if text:find("`" .. word .. "`", 1, true) and (not found or number < found) then
      found = number
    end
  end
  return found and rule_text(found)
end

local LISTS = {
  columns = function () return columns_text() .. "\n" .. terms_text "run" end,
  diagnostics = codes_text,
}
for _, group in ipairs(api.groups) do
  LISTS[group[1]] = function () return group_text(group) end
end

--- Calls add(name) for each topic of the language.
local function each_word(add)
  for name in pairs(LISTS) do add(name) end
  for _, entry in ipairs(api.entries) do add(entry.name) end
  for _, class in ipairs(api.classes) do
    add(class.of or class.name)
    for _, field in ipairs(class.of and class.fields or {}) do add(field[1]) end
  end
  for _, rows in ipairs(api.rows) do
    for _, column in ipairs(core.columns(rows[1])) do add(column.name) end
  end
  each_member(function (row) add(row[1]) end)
  for _, row in ipairs(codes) do add(row[1]) end
end

--- The same of terms and policies.
local function each_term(add)
  for _, section in ipairs(api.terms) do
    add(section[1])
    for _, row in ipairs(section[3]) do add(row[1]) end
  end
  for _, list in ipairs { core.peer(), core.ready() } do
    for _, name in ipairs(list) do add(name) end
  end
  add "case"
end

--- Every topic, each once, behind those given: those of the language in order, then the others.
local function every_topic(all)
  local seen = {}
  for _, each in ipairs { each_word, each_term } do
    local list = {}
    each(function (name)
      if not seen[name] then list[#list + 1], seen[name] = name, true end
    end)
    table.sort(list)
    table.move(list, 1, #list, #all + 1, all)
  end
  return all
end

--- Every topic, in order, each once.
function help.topics()
  local list = every_topic {}
  table.sort(list)
  return list
end

--- The text of a topic; or nil, "there is no topic fil", and the nearest one, or the nearest of the
-- verbs.
function help.text(topic, verbs)
  topic = topic:gsub(" ", "_")
  if LISTS[topic] then return LISTS[topic]() end
  local said = {}
  local entry, class = api.find(topic), api.class(topic)
  if entry then
    said[1] = entry_text(entry)
  elseif class then
    said[1] = class_text(class)
  end
  for _, each in ipairs(api.classes) do
    for _, field in ipairs(each.of and each.fields or {}) do
      if field[1] == topic then said[#said + 1] = key_text(each, field) end
    end
  end
  said[#said + 1] = columns_text(topic)
  said[#said + 1] = members_text(topic)
  said[#said + 1] = terms_text(nil, topic)
  said[#said + 1] = terms_text(topic)
  said[#said + 1] = policy_text(topic)
  said[#said + 1] = codes_text(topic)
  said[#said + 1] = rule_text(topic)
  if #said == 0 then said[1] = rule_naming(topic) end
  if #said > 0 then return table.concat(said, "\n") end
  local near = names.nearest(topic, every_topic(verbs or {})) -- of equal ones the first
  return nil, ("there is no topic %s"):format(topic), near
end

return help
