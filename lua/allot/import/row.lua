-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A row of a section of LSF's files: its values by keyword, and notes about those left out.

local lsf = require "allot.import.lsf"

local row_of = {}

--- The text of a value, nil where it means the default; and the value, nil where it is not there.
function row_of.cell(row, key)
  for _, entry in ipairs(row) do
    if entry.key == key then return lsf.plain(entry.value.text), entry.value end
  end
end

--- Calls each(text, row) for every row of sections of a kind in which the key has a value.
function row_of.each(sections, kind, key, each)
  for _, section in ipairs(sections) do
    for _, row in ipairs(section.name == kind and section.rows or {}) do
      local text = row_of.cell(row, key)
      if text then each(text, row) end
    end
  end
end

--- A whole number; notes anything else.
function row_of.number(row, key, note)
  local text, at = row_of.cell(row, key)
  local number = text and math.tointeger(tonumber(text))
  if text and not number then
    note(at, at.col, ("%s = %s: no whole number, so it is not carried over"):format(key, at.text))
  end
  return number
end

--- A whole number from 0 on, as a limit has it.
function row_of.limit(row, key, note)
  local number = row_of.number(row, key, note)
  if not number or number >= 0 and number <= 1000000000 then return number end
  local _, at = row_of.cell(row, key)
  note(at, at.col, ("%s = %s: out of range"):format(key, at.text))
end

--- Slots per processor, which may be a fraction.
function row_of.per_processor(row, key, note)
  local text, at = row_of.cell(row, key)
  local number = text and tonumber(text)
  if not text or number and number >= 0 and number <= 1000000 then return number end
  note(at, at.col, ("%s = %s: no number from 0 to 1000000, so it is not carried over")
    :format(key, at.text))
end

--- Notes what becomes of a fraction of a processor.
function row_of.note_rounded(row, key, number, note)
  local _, at = row_of.cell(row, key)
  if number and number % 1 ~= 0 then
    note(at, at.col, ("%s = %s: what is not whole on a host is rounded up, as LSF does")
      :format(key, at.text))
  end
end

--- Notes every key of a row that has a value and is not among `known`; why[key] is the reason.
function row_of.note_others(row, known, note, why)
  for _, entry in ipairs(row) do
    if not known[entry.key] and lsf.plain(entry.value.text) then
      local at, because = entry.value, why and why[entry.key]
      note(at, at.col, entry.key .. " is not carried over" .. (because and ": " .. because or ""))
    end
  end
end

--- Notes that a later row of a name replaces the earlier one. `stated`: the rows so far, by kind
--- and name.
function row_of.note_again(stated, kind, name, row, note)
  stated[kind] = stated[kind] or {}
  local before = stated[kind][name]
  if before then
    note(before, 1, ("%s is stated again in %s:%d, which holds"):format(name, row.file, row.line))
  end
  stated[kind][name] = row
end

return row_of
