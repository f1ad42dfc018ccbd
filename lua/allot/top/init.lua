-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot top`: a running service's consumers on a terminal, and what keys do.

local core = require "allot.core"
local draw = require "allot.top.draw"
local task = require "allot.top.task"
local tree = require "allot.top.tree"

local EVERY = "1000" -- ms between updates
local SCREEN, BRANCH, TASKS = 400, 200, 100 -- the most rows on a screen, and in a request
local DONE, REFUSED = 0, 1

local Top = {}
Top.__index = Top

function Top.new(host)
  local about = host.call "terminal"
  return setmetatable({
    host = host, root = tree.root(), rows = {}, top = 0, here = 0, why_top = 0, lines = {},
    head = { plan = 0, groups = {} }, group = host.option "group", plain = true,
    look = { utf8 = about:find "utf8" ~= nil }, keys = about:find "keys" ~= nil,
  }, Top)
end

function Top:count()
  return self.find and self.found or tree.size(self.root)
end

--- A row's branch, its place there, and its own branch if it is open; nil: the row was found.
function Top:place(row)
  if not self.find then return tree.at(self.root, row) end
end

-- ---- Questions ----------------------------------------------------------------------------------

local OF_GROUP = { view = true, explain = true }

--- Raises the reason and the exit status.
function Top:ask(method, params)
  params.group = OF_GROUP[method] and self.group or nil
  local text, why, code = self.host.call("ask", method .. " " .. core.encode(params))
  if not text then error({ why = why, code = code }, 0) end
  return core.decode(text)
end

--- The rows of a view from `row` on; the number of rows in its branch, or found.
function Top:view(params, row)
  local view = self:ask("view", params)
  local part = view.branch or view.found
  self.head = view
  for i, it in ipairs(part.rows) do self.rows[row + i - 1] = it end
  return part.of or #part.rows
end

--- Asks once for children of one branch that follow each other on the screen.
function Top:ask_tree()
  local count, row = self:count(), self.top
  if count == 0 then
    self.root.of = self:view({ path = "/", from = 0, most = self.seen }, 0)
    return
  end
  local last = math.min(count, row + self.seen)
  while row < last do
    local node, at = self:place(row)
    local many = 1
    while many < BRANCH and row + many < last do
      local other, place = self:place(row + many)
      if other ~= node or place ~= at + many then break end
      many = many + 1
    end
    self:view({ path = node.path, from = at, most = many }, row)
    row = row + many
  end
end

function Top:ask_rows()
  if not self.find then return self:ask_tree() end
  self.top = 0
  self.found = math.min(SCREEN, self:view({ find = self.find, most = SCREEN }, 0))
end

--- Asks for all rows again; starts anew if the plan changed, or lacks a branch.
function Top:refresh()
  local plan = self.head.plan
  self.rows = {}
  self.healthy = self:ask("status", {}).healthy ~= false
  local fine, fault = pcall(self.ask_rows, self)
  if not fine and (type(fault) ~= "table" or fault.code ~= REFUSED) then error(fault, 0) end
  if not fine or plan ~= self.head.plan then
    self.host.call "forget"
    self.root, self.top, self.here = tree.root(), 0, 0
    self:ask_tree()
  end
end

--- The explanation, and behind it the tasks of the consumer and of all below it.
function Top:ask_why()
  self.lines = self:ask("explain", { path = self.why }).lines
  local page = self:ask("tasks", { consumer = self.why, limit = TASKS })
  if #page.tasks == 0 then return end
  self.lines[#self.lines + 1] = page.next and ("The first %d tasks:"):format(TASKS) or "Tasks:"
  for _, it in ipairs(page.tasks) do self.lines[#self.lines + 1] = "  " .. task.line(it) end
end

--- Updates the screen's rows; returns the exit status. If the service went away, its rows stay on
-- the screen, where one line says so.
function Top:look_again()
  local fine, fault = pcall(function ()
    self:keep_in_sight()
    self:refresh()
    if self:count() > 0 and not self.rows[self.top] then
      self:refresh() -- the first answer had the number of rows
    end
    if self.why then self:ask_why() end
  end)
  if not fine and type(fault) ~= "table" then error(fault, 0) end
  self.trouble = not fine and fault.why or nil
  return fine and DONE or fault.code
end

-- ---- Moving -------------------------------------------------------------------------------------

--- Head, columns and keys take four lines; an explanation the lower half.
function Top:measure()
  local wide, high = self.host.call "terminal":match "(%d+) (%d+)"
  wide, high = math.tointeger(wide), math.tointeger(high)
  self.wide, self.high = wide > 0 and wide or 80, high > 0 and high or 24
  local room = self.high - 4
  if self.why then room = room - room // 2 end
  self.seen = math.max(1, math.min(SCREEN, room))
end

function Top:keep_in_sight()
  local count, seen = self:count(), self.seen
  self.here = math.max(0, math.min(self.here, count - 1))
  self.top = math.max(math.min(self.top, self.here), self.here - seen + 1)
  self.top = math.max(0, math.min(self.top, count - seen))
end

function Top:move(rows)
  self.here = self.here + rows
  self:keep_in_sight()
end

function Top:explain_here()
  local row = self.rows[self.here]
  if row then self.why, self.lines, self.why_top = row.path, {}, 0 end
end

--- Rows below one that opens or closes move.
function Top:forget_below()
  for row in pairs(self.rows) do
    if row > self.here then self.rows[row] = nil end
  end
end

function Top:right()
  local row, node, at, open = self.rows[self.here], self:place(self.here)
  if open then return self:move(1) end
  if not node or not row or row.children == 0 then return end
  tree.open(node, at, row.path, row.children)
  self:forget_below()
end

function Top:left()
  local node, _, open = self:place(self.here)
  if open then
    tree.close(open)
    self:forget_below()
  elseif node and node.parent then
    self:move(tree.line(node) - self.here)
  end
end

function Top:next_group()
  local groups = self.head.groups
  for i, name in ipairs(groups) do
    if name == self.head.group then self.group = groups[i % #groups + 1] end
  end
end

--- Undoes one thing at a time.
function Top:escape()
  if self.why then self.why = nil else self.find = nil end
  if self.here >= self:count() then self.here = 0 end
end

function Top:up() self:move(-1) end
function Top:down() self:move(1) end
function Top:home() self:move(-self.here) end
Top["end"] = function (self) self:move(self:count()) end

--- Turns a page of the explanation, if one is shown.
function Top:page(by)
  if self.why then self.why_top = math.max(0, self.why_top + 5 * by)
  else self:move(by * math.max(1, self.seen - 1)) end
end

function Top:pageup() self:page(-1) end
function Top:pagedown() self:page(1) end

-- ---- Keys ---------------------------------------------------------------------------------------

local function find(self) self.typed = "" end

local KEYS = {
  up = Top.up, k = Top.up, down = Top.down, j = Top.down, left = Top.left, h = Top.left,
  right = Top.right, l = Top.right, home = Top.home, ["end"] = Top["end"], pageup = Top.pageup,
  pagedown = Top.pagedown, escape = Top.escape, ["\r"] = Top.explain_here,
  ["\n"] = Top.explain_here, g = Top.next_group, ["/"] = find,
}
local FOLLOWS = { [Top.up] = true, [Top.down] = true } -- the explanation follows these

--- A key while a word to find is typed.
function Top:type(key)
  if key == "escape" then
    self.typed = nil
  elseif key == "\r" or key == "\n" then
    self.find, self.typed = self.typed ~= "" and self.typed or nil, nil
    self.found, self.top, self.here = 0, 0, 0
  elseif key == "\127" or key == "\b" then
    self.typed = self.typed:sub(1, -2)
  elseif #key == 1 and key >= " " and key < "\127" then
    self.typed = self.typed .. key
  end
end

function Top:press(key)
  if self.typed then return self:type(key) end
  local act = KEYS[key]
  if not act then return end
  act(self)
  if self.why and FOLLOWS[act] then self:explain_here() end
end

--- Handles all keys pressed meanwhile before the next update; true: the end.
function Top:listen()
  local key = self.host.call("key", EVERY)
  while key ~= "" and key ~= "resize" do
    if key == "quit" or key == "q" and not self.typed then return true end
    self:press(key)
    if not self.rows[self.here] then return false end
    key = self.host.call("key", "0")
  end
end

-- ---- The verb -----------------------------------------------------------------------------------

local function on_terminal(self)
  self.plain, self.look.color = false, self.host.call "terminal":find "color" ~= nil
  self:measure()
  local code = self:look_again() -- a failure at once is reported as by any verb
  if code ~= DONE or not self.host.call "take" then return code end
  repeat
    self:measure()
    self:look_again()
    self:keep_in_sight()
    self.host.call("show", draw(self))
    local ends = self:listen()
    self.host.call "forget"
  until ends
  self.host.call "give"
  return DONE
end

function Top.run(host)
  if host.option "format" == "json" then
    local text, _, code = host.call("ask", "view {}")
    if text then host.out(text .. "\n") end
    return code or DONE
  end
  local self = Top.new(host)
  if self.keys then return on_terminal(self) end
  self.wide, self.high, self.seen = 120, 44, 40
  local code = self:look_again()
  if code == DONE then host.out(draw(self)) end
  return code
end

return Top
