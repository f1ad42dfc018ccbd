-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A long text, built from parts.

local text = {}
text.__index = text

local MANY = 4096

function text.new(piece)
  return setmetatable({ chunks = {}, pieces = { piece } }, text)
end

local function gather(self)
  self.chunks[#self.chunks + 1] = table.concat(self.pieces)
  self.pieces = {}
end

function text:add(format, ...)
  local pieces = self.pieces
  pieces[#pieces + 1] = format:format(...)
  if #pieces == MANY then gather(self) end
end

local function put(self, brackets, count, item)
  self:add(brackets:sub(1, 1))
  for i = 0, count - 1 do
    if i > 0 then self:add ",\n" end
    item(i)
  end
  self:add(brackets:sub(2))
end

--- A JSON list of `count` items, each made by a function of its number, 0 the first.
function text:list(count, item) put(self, "[]", count, item) end

--- A JSON object of `count` members, made likewise.
function text:object(count, member) put(self, "{}", count, member) end

function text:done()
  gather(self)
  return table.concat(self.chunks)
end

return text
