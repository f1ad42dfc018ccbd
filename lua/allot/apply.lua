-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The state that a decision leads to, for specs that run cycle after cycle.

local apply = {}

local function copy_rows(state)
  local out = {}
  for path, row in pairs(state.consumers or {}) do
    local allocated = row.allocated
    if type(allocated) == "table" then
      allocated = {}
      for group, slots in pairs(row.allocated) do
        allocated[group] = slots
      end
    end
    out[path] = { demand = row.demand, allocated = allocated }
  end
  return out
end

local function change(rows, move, sign)
  local row = rows[move.consumer] or { demand = 0 }
  rows[move.consumer] = row
  if move.group and type(row.allocated) == "table" then
    row.allocated[move.group] = (row.allocated[move.group] or 0) + sign * move.slots
  else
    row.allocated = (row.allocated or 0) + sign * move.slots
  end
end

local function loan_of(loan)
  return {
    group = loan.group, lender = loan.lender, borrower = loan.borrower, slots = loan.slots,
  }
end

--- Grants are taken up and what was in flight returns. New reclaims return at once too, or, with
--- `slow`, are in flight in the state that is returned. Only the numbers that changed differ.
function apply.decision(state, decision, slow)
  local rows = copy_rows(state)
  for _, reclaim in ipairs(state.reclaims or {}) do
    change(rows, reclaim, -1)
  end
  for _, grant in ipairs(decision.grants) do
    change(rows, grant, 1)
  end
  local flying = {}
  for i, reclaim in ipairs(decision.reclaims) do
    if slow then
      local claims = reclaim["for"]
      flying[i] = {
        id = "f" .. i, group = reclaim.group, consumer = reclaim.consumer, slots = reclaim.slots,
        ["for"] = claims and claims[1] and claims or nil,
      }
    else
      change(rows, reclaim, -1)
    end
  end
  local loans = {}
  for _, loan in ipairs(decision.loans or {}) do
    if loan.slots > 0 then loans[#loans + 1] = loan_of(loan) end
  end
  return {
    now = state.now + 1, slots = state.slots, consumers = rows, reclaims = flying[1] and flying,
    loans = loans[1] and loans,
  }
end

return apply
