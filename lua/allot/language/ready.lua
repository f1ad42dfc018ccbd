-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The ready-made policies. In the sandbox the host, which has them built in, replaces this
--- function by its own; plain Lua has no ready-made policies.
--
-- `ready(name)` is the policy of that name, or nil; `ready()` is the list of names.

return function (name)
  if name == nil then return {} end
end
