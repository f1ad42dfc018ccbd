-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The state that a decision with whole tasks leads to: tasks that start run, tasks that go wait
--- again, and slots of leaves without tasks move.

local play = {}

local function move(rows, told, group, slots)
  local row = rows[told.consumer]
  if not row or row.allocated == nil then return end
  if type(row.allocated) == "table" then
    row.allocated[group] = row.allocated[group] + slots
  else
    row.allocated = row.allocated + slots
  end
end

local function copied(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, inner in pairs(value) do out[key] = copied(inner) end
  return out
end

local function ids_of(list)
  local out = {}
  for _, it in ipairs(list) do
    for _, id in ipairs(it.tasks or {}) do out[id] = true end
  end
  return out
end

--- Reclaims as the next state has them where slots are a cycle on their way.
local function on_the_way(decision, groups)
  local out = {}
  for i, it in ipairs(decision.reclaims) do
    out[i] = copied(it)
    out[i].id, out[i].group = ("r%d-%d"):format(decision.now, i), groups and it.group or nil
    out[i].tasks = it.tasks and it.tasks[1] and it.tasks or nil
    out[i]["for"] = it["for"][1] and out[i]["for"] or nil
    for _, key in ipairs { "why", "grace", "deadline" } do out[i][key] = nil end
  end
  return out[1] and out or nil
end

--- Loans that go on.
local function loans_of(decision)
  local out = {}
  for _, it in ipairs(decision.loans or {}) do
    if it.slots > 0 then
      out[#out + 1] = { lender = it.lender, borrower = it.borrower, slots = it.slots }
    end
  end
  return out[1] and out or nil
end

--- The state after `decision`, a second later. `later`: what is
--- reclaimed is on its way for a cycle.
function play.after(state, decision, later)
  local out = copied(state)
  out.now, out.reclaims, out.loans = state.now + 1, nil, loans_of(decision)
  local back = decision.reclaims
  if later then
    back, out.reclaims = state.reclaims or {}, on_the_way(decision, type(state.slots) == "table")
  end
  local starts, goes = ids_of(decision.grants), ids_of(back)
  for _, task in ipairs(out.tasks or {}) do
    if starts[task.id] then
      task.state, task.started = nil, state.now
    elseif goes[task.id] then
      task.state, task.started = "pending", nil
    end
  end
  local rows = out.consumers or {}
  for _, grant in ipairs(decision.grants) do move(rows, grant, grant.group, grant.slots) end
  for _, told in ipairs(back) do move(rows, told, told.group or "default", -told.slots) end
  return out
end

--- Whether nothing is to be carried out.
function play.rests(decision, state)
  return not decision.grants[1] and not decision.reclaims[1] and not state.reclaims
end

return play
