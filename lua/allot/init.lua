-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `require "allot"`: the policy language, and the engine.
--
-- The language is plain Lua. `plan`, `state`, `cycle` and `version` are in the C module
-- "allot.core", which is loaded when the first of them is used.
--
--     local plan = assert(allot.plan(plan_text, { file = "plan.json" }))
--     local state = assert(allot.state(plan, state_text))
--     print(assert(allot.cycle(plan, state)):json())

local allot = {}
for word, meaning in pairs(require "allot.language") do allot[word] = meaning end

return setmetatable(allot, { __index = function (_, name) return require "allot.core"[name] end })
