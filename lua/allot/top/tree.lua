-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Rows of a tree of which some branches are open. A branch has only its path, its number
-- of children (`of`) and the open ones among these (`open`, by their places `at`), so a tree may
-- have any size. Rows count from 0.

local tree = {}

function tree.root()
  return { path = "/", of = 0, level = 0, open = {} }
end

--- The number of rows of a branch with all open ones in it.
function tree.size(node)
  local size = node.of
  for _, child in ipairs(node.open) do size = size + tree.size(child) end
  return size
end

--- A row's branch, its place there, and the branch that the row itself is, if it is open.
function tree.at(node, row)
  local skipped = 0
  for _, child in ipairs(node.open) do
    local size, line = tree.size(child), child.at + skipped
    if row < line then break end
    if row == line then return node, child.at, child end
    if row <= line + size then return tree.at(child, row - line - 1) end
    skipped = skipped + size
  end
  return node, row - skipped
end

--- The row that a branch itself is; of the root -1.
function tree.line(node)
  if not node.parent then return -1 end
  local line = tree.line(node.parent) + 1 + node.at
  for _, before in ipairs(node.parent.open) do
    if before == node then break end
    line = line + tree.size(before)
  end
  return line
end

--- Opens the branch at a place, with its number of children.
function tree.open(parent, at, path, children)
  local i = 1
  while parent.open[i] and parent.open[i].at < at do i = i + 1 end
  table.insert(parent.open, i,
    { path = path, of = children, at = at, level = parent.level + 1, parent = parent, open = {} })
end

function tree.close(node)
  for i, each in ipairs(node.parent.open) do
    if each == node then return table.remove(node.parent.open, i) end
  end
end

return tree
