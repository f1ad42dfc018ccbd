-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Calls visit(path, node) for every consumer of a plan's list and below it, parents first.
local function walk(list, visit, above)
  for _, node in ipairs(list or {}) do
    local path = (above or "") .. "/" .. node.name
    visit(path, node)
    walk(node.children, visit, path)
  end
end

return walk
