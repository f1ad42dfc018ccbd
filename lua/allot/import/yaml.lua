-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- YAML's nodes, which the command makes by libyaml: of a map the values by key, with their places.

local core = require "allot.core"

local yaml = {}

--- A node as { text =, plain = }, { list = }, or { of = values by key, keys = in order }, each with
-- its place; of keys that a map has twice the last holds.
local function node_of(raw, file)
  local node = { place = { file = file, line = raw.line, col = raw.col }, text = raw.text,
    plain = raw.plain }
  if raw.list then
    node.list = {}
    for i, it in ipairs(raw.list) do node.list[i] = node_of(it, file) end
  elseif raw.map then
    node.of, node.keys = {}, {}
    for i = 1, #raw.map, 2 do
      local key = raw.map[i].text or "?"
      if not node.of[key] then node.keys[#node.keys + 1] = key end
      node.of[key] = node_of(raw.map[i + 1], file)
      node.of[key].key = { file = file, line = raw.map[i].line, col = raw.map[i].col }
    end
  end
  return node
end

--- The documents of a file; none where it is no YAML, which fails.
function yaml.documents(file, markup, with)
  local read = core.decode(markup("yaml", file.text))
  if read.error then
    with.fail({ file = file.name, line = read.line, col = read.col }, read.error)
    return {}
  end
  local documents = {}
  for i, raw in ipairs(read.documents) do documents[i] = node_of(raw, file.name) end
  return documents
end

--- The node at a path of keys; nil: some part is missing, or says null.
function yaml.at(node, ...)
  for _, key in ipairs { ... } do
    node = node and node.of and node.of[key]
  end
  local none = node and node.plain and (node.text == "" or node.text == "null" or node.text == "~")
  return not none and node or nil
end

--- The text at a path; nil: there is none.
function yaml.text(node, ...)
  local found = yaml.at(node, ...)
  return found and found.text
end

return yaml
