-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Three projects of the NASA log: the user with most work, other users of even numbers, and of
--- odd ones.

return function (job)
  return { consumer = job.user == 4 and "/p1" or job.user % 2 == 0 and "/p2" or "/p3" }
end
