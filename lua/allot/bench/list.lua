-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Measurements as a table and as JSON. A list has
---   key      as a member; `single`: an object rather than a list of them
---   title    above the table
---   named    above the rows' names; nil: rows have no names
---   columns  each { key, title (nil: not in the table), scale there, digits, "best" (alone) }
---   rows     each a table of the columns' keys: numbers, or times (measure.time)

local list = {}

local function cell(column, value)
  local _, _, scale, digits, best = table.unpack(column, 1, 5)
  local format = "%." .. digits .. "f"
  if type(value) == "number" then return format:format(value * scale) end
  local first = format:format(value.best * scale)
  return best and first or first .. " (" .. format:format(value.median * scale) .. ")"
end

local function lines(it)
  local out = { { it.named } }
  for _, column in ipairs(it.columns) do table.insert(out[1], column[2]) end
  for i, row in ipairs(it.rows) do
    out[i + 1] = { row.name }
    for _, column in ipairs(it.columns) do
      if column[2] then table.insert(out[i + 1], cell(column, row[column[1]])) end
    end
  end
  return out
end

--- The table; prints nothing if the list has no rows.
function list.text(it)
  if #it.rows == 0 then return "" end
  local out, width = lines(it), {}
  for _, line in ipairs(out) do
    for i, word in ipairs(line) do width[i] = math.max(width[i] or 0, #word) end
  end
  for k, line in ipairs(out) do
    for i, word in ipairs(line) do
      local pad = (" "):rep(width[i] - #word)
      line[i] = it.named and i == 1 and word .. pad or pad .. word
    end
    out[k] = table.concat(line, "  "):gsub(" +$", "")
  end
  return ("\n%s\n\n%s\n"):format(it.title, table.concat(out, "\n"))
end

local function object(it, row)
  local out = { it.named and ('"name": "%s"'):format(row.name) }
  for _, column in ipairs(it.columns) do
    local value = row[column[1]]
    local text = type(value) == "number" and ("%.9g"):format(value)
      or ('{"best": %.9g, "median": %.9g}'):format(value.best, value.median)
    out[#out + 1] = ('"%s": %s'):format(column[1], text)
  end
  return "{" .. table.concat(out, ", ") .. "}"
end

--- A member that follows others.
function list.json(it)
  local out = {}
  for i, row in ipairs(it.rows) do out[i] = object(it, row) end
  local items = table.concat(out, ", ")
  return (', "%s": %s'):format(it.key, it.single and items or "[" .. items .. "]")
end

return list
