-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Files that call each other in a circle: strongly connected parts of a graph.

local circles = {}

--- Of {node = {label = node}} the parts of several nodes, each a sorted list; in order.
function circles.of(graph)
  local order, low, on, stack, found = {}, {}, {}, {}, {}
  local count = 0

  local function close(node)
    local part = {}
    repeat
      local last = table.remove(stack)
      on[last] = nil
      part[#part + 1] = last
    until last == node
    table.sort(part)
    if #part > 1 then found[#found + 1] = part end
  end

  local function visit(node)
    count = count + 1
    order[node], low[node], on[node] = count, count, true
    stack[#stack + 1] = node
    for _, other in pairs(graph[node] or {}) do
      if not order[other] then
        visit(other)
        low[node] = math.min(low[node], low[other])
      elseif on[other] then
        low[node] = math.min(low[node], order[other])
      end
    end
    if low[node] == order[node] then close(node) end
  end

  for node in pairs(graph) do
    if not order[node] then visit(node) end
  end
  table.sort(found, function (a, b) return a[1] < b[1] end)
  return found
end

return circles
