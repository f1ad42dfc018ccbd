-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's priority/multifactor, by its documentation (S-9): jobs { waited, qos, site, submitted,
--- id } from the first to the last.

return function (jobs, weights, max_age, most_qos)
  for _, job in ipairs(jobs) do
    local age = math.min(job.waited / max_age, 1)
    job.points = math.floor(weights.age * age + weights.qos * job.qos / most_qos + 1e-9) + job.site
  end
  table.sort(jobs, function (a, b)
    if a.points ~= b.points then return a.points > b.points end
    if a.submitted ~= b.submitted then return a.submitted < b.submitted end
    return a.id < b.id
  end)
  return jobs
end
