-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Tries the parts of a run side by side, in processes that the host starts.
--
-- A worker tries every n-th part and sends what comes of it; the first process adds parts up in
-- their order, so the result does not depend on how many workers there are.

--- As in_turn of run.lua, and whether a worker was lost, which the host has reported.
return function (core, host, in_turn)
  local function work_apart(first, step, count, work)
    for i = first, count, step do
      local ok, part = pcall(work, i, true)
      if ok then part.by_id = nil end -- `list` has the same rows
      local said = ok and { index = i, part = part } or { fault = tostring(part) }
      host.call("send", core.encode(said))
      if not ok or part.late then break end
    end
    host.call "leave"
  end

  --- Calls heard(index, part) for the parts as they come, until it returns true. Returns whether a
  --- worker was lost.
  local function hear(heard)
    repeat
      local text = host.call "hear"
      if not text then return true end
      local said = text ~= "" and core.decode(text)
      if said and said.fault then error(said.fault, 0) end
    until not said or heard(said.index, said.part)
    host.call "stop"
  end

  return function (count, work, take)
    local can, role = pcall(host.call, "fork", tostring(count))
    if not can then return in_turn(count, work, take) end -- a service has no processes for this
    local first, step = role:match "^(%d+) (%d+)$"
    if first then work_apart(math.tointeger(first), math.tointeger(step), count, work) end
    if role == "alone" then return in_turn(count, work, take) end
    local parts, following, ended = {}, 1, false
    local lost = hear(function (index, part)
      parts[index] = part
      while parts[following] and not ended do
        ended = take(parts[following])
        following = following + 1
      end
      return ended
    end)
    for i = following, (ended or lost) and 0 or count do -- time was up: some are missing
      if parts[i] and take(parts[i]) then break end
    end
    return lost
  end
end
