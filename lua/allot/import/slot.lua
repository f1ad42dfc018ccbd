-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a slot is in Slurm's words (--slot), and how many there are (--slots).

local slot = {}

--- The words of an option that may come several times.
function slot.words(option)
  local list = {}
  for word in (option or ""):gmatch "[^\n]+" do list[#list + 1] = word end
  return list
end

--- "cpu", "gres/gpu", or "GROUP=TRES@PARTITION": groups of the plan in the units of Slurm.
function slot.groups(words, plan)
  local list, names = {}, {}
  for _, word in ipairs(#words > 0 and words or { "cpu" }) do
    local name, rest = word:match "^([%w_-]+)=(.+)$"
    local tres, partition = (rest or word):match "^([%w_/:.-]+)@?([%w_.-]*)$"
    if not tres then return nil, ("--slot: %q is no [GROUP=]TRES[@PARTITION]"):format(word) end
    name = name or plan.groups[1] or "default"
    list[#list + 1] = { name = name, tres = tres, partition = partition ~= "" and partition or nil }
    names[name] = true
  end
  for _, name in ipairs(plan.groups) do
    if not names[name] then
      return nil, ("--slot does not say what a slot of the group %s is"):format(name)
    end
  end
  if #list > math.max(1, #plan.groups) then
    return nil, ("--slot names %d groups, the plan has %d"):format(#list, math.max(1, #plan.groups))
  end
  return list
end

--- Groups as above, each with the slots that --slots says; without names where the plan has none.
-- `like`: one --slot is that of all groups, and a number alone that of the group default. nil, a
-- reason.
function slot.sized(words, sizes, like)
  local slots, names = {}, {}
  for _, word in ipairs(sizes) do
    local name, number = word:match "^(%a[%w_-]*)=(%d+)$"
    name, number = name or "", math.tointeger(tonumber(number or word:match "^%d+$"))
    if not number or number < 1 or number > 1000000000 then
      return nil, ("--slots: %q is no [GROUP=]N, N from 1 to 1000000000"):format(word)
    end
    if slots[name] then
      return nil, "--slots comes twice" .. (name ~= "" and " for " .. name or "")
    end
    slots[name], names[#names + 1] = number, name ~= "" and name or nil
  end
  if like and #names > 0 and slots[""] and not slots.default then
    slots.default, slots[""] = slots[""], nil
    table.insert(names, 1, "default")
  end
  if #names > 0 and slots[""] then
    return nil, "--slots is of a group or of the whole plan, not both"
  end
  if like and #words <= 1 and #names > 0 then
    local all = {}
    for i, name in ipairs(names) do all[i] = name .. "=" .. (words[1] or "cpu") end
    words = all
  end
  local groups, why = slot.groups(words, { groups = names })
  if not groups then return nil, why end
  for _, group in ipairs(groups) do
    group.name = #names > 0 and group.name or nil
    group.slots = slots[group.name or ""]
  end
  return groups
end

return slot
