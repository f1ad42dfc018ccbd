-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a spec with real programs in namespaces cannot run here.

local shell = require "spec.support.house.shell"

--- The reason, by the programs that it needs; nil: there is none.
return function (programs)
  for _, program in ipairs(programs) do
    if shell.run("command -v " .. program) ~= 0 then return program .. " is not there" end
  end
  if shell.run "unshare --pid --fork --mount --mount-proc --net --ipc true" ~= 0 then
    return "this machine allows no namespaces"
  end
end
