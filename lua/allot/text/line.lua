-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Parts of lines for people.

local line = {}

--- Replaces control characters, which could steer a terminal, by "?".
function line.safe(text)
  return (text:gsub("[%z\1-\8\11-\31\127]", "?"))
end

--- A count and its noun: "1 slot", "2 slots".
function line.count(count, noun)
  return count .. " " .. noun .. (count == 1 and "" or "s")
end

--- Behind lost work: the number of tasks that it does not count (allot/decision.h).
function line.unknown(tasks)
  return tasks > 0 and (", not counting %s without a start"):format(line.count(tasks, "task")) or ""
end

function line.left(text, width)
  return text .. (" "):rep(width - #text)
end

function line.right(text, width)
  return (" "):rep(width - #text) .. text
end

--- Rows of cells in columns as wide as they need, the first to the left; without blanks at the ends
-- of lines.
function line.grid(rows)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 0, #cell) end
  end
  for r, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do
      cells[i] = (i == 1 and line.left or line.right)(line.safe(cell), widths[i])
    end
    lines[r] = table.concat(cells, "  "):gsub(" +$", "") .. "\n"
  end
  return table.concat(lines)
end

return line
