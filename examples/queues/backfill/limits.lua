-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
-- The jobs of a log in the plan's queue. Logs that state no run limits get the time that each job
-- ran: what a perfect estimate would be.
return function (job)
  return { queue = "batch", run_limit = job.requested or math.max(job.run, 1) }
end
