-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
-- Every job runs half as long again, and says so.
return function (job)
  local run = 3 * job.run // 2
  return { queue = "batch", run = run, run_limit = math.max(run, 1) }
end
