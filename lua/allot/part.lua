-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `up_to = part`: the whole slots of a row's part, by `by`, of what a fill has to pour, were all
-- siblings to take theirs.

return { kind = "part" }
