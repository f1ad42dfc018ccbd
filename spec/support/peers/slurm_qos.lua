-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's preempt/qos, by its documentation and source (284c3b9): which of some running jobs
--- { id, qos priority, slots, started } go for one that lacks slots (S-12, S-13).

--- The first jobs of a list that free enough, and how many these are; nil: all are too few.
local function prefix(jobs, wanted)
  local freed = 0
  for i, job in ipairs(jobs) do
    freed = freed + job.slots
    if freed >= wanted then return i end
  end
end

return function (jobs, wanted, youngest_first, reorder_count)
  local function key(job)
    return youngest_first and -job.started or math.min(job.priority, 65535) * 65536 + job.slots
  end
  table.sort(jobs, function (a, b)
    if key(a) ~= key(b) then return key(a) < key(b) end
    return a.started > b.started
  end)
  local count = prefix(jobs, wanted)
  local out = {}
  if not count then return out end
  for _ = 2, math.min((reorder_count or 1) + 2, #jobs) do
    table.insert(jobs, 1, table.remove(jobs, count))
    count = prefix(jobs, wanted)
  end
  for i = 1, count do out[jobs[i].id] = true end
  return out
end
