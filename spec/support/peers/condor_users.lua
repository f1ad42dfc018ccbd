-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- HTCondor's pie slices, by its manual and matchmaker.cpp (7491a14): what users { priority, want }
--- get of a pie, spin by spin (N-13). `priority` is the effective one: smaller is better.

return function (pie, users)
  local got = {}
  for i in ipairs(users) do got[i] = 0 end
  for _ = 1, 100 do
    local all, given = 0, 0
    for i, user in ipairs(users) do
      if got[i] < user.want then all = all + 1 / user.priority end
    end
    if all == 0 or pie < 1e-9 then return got end
    for i, user in ipairs(users) do
      if got[i] < user.want then
        local gets = math.min(pie * (1 / user.priority) / all, user.want - got[i])
        got[i], given = got[i] + gets, given + gets
      end
    end
    pie = pie - given
  end
  return got
end
