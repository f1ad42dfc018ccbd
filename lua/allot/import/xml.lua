-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- XML's elements, which the command makes by libexpat.

local core = require "allot.core"
local lsf = require "allot.import.lsf"

local xml = {}

--- The name of a text's first element without its prefix; nil: it is no XML.
function xml.root(text)
  text = text:gsub("^\xef\xbb\xbf", ""):gsub("^%s*<%?.-%?>", ""):gsub("^%s*<!%-%-.-%-%->", "")
  text = text:gsub("^%s*<!DOCTYPE[^%[>]*", ""):gsub("^%[.-%]%s*>", "")
  local name = text:match "^%s*>?%s*<([%w_:.-]+)"
  return name and name:match "[^:]+$"
end

--- An element: { name, place, of = attributes, children, text = trimmed }.
local function element_of(raw, file)
  local it = { name = raw.name:gsub("^.*:", ""), of = raw.of, children = {},
    place = { file = file, line = raw.line, col = raw.col }, text = lsf.trim(raw.text or "") }
  for i, child in ipairs(raw["in"]) do it.children[i] = element_of(child, file) end
  return it
end

--- The root element of a file; nil: it is no XML, which fails.
function xml.read(file, markup, with)
  local read = core.decode(markup("xml", file.text))
  if read.error then
    with.fail({ file = file.name, line = read.line, col = read.col }, read.error)
    return nil
  end
  return element_of(read, file.name)
end

--- The first child of that name, its text trimmed; nil: there is none.
function xml.child(element, name)
  for _, child in ipairs(element.children) do
    if child.name == name then return child, child.text end
  end
end

return xml
