-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The target of a check: a policy by itself, or a plan with its policies, each with what a run
--- needs.

local draw = require "allot.check.draw"
local part = require "allot.check.part"

local Target = {}

--- Whether a file's name is a policy's.
function Target.is_policy(path)
  return #path > 4 and path:sub(-4) == ".lua"
end

local function folder_of(path)
  return path:match "^(.*/)[^/]*$" or ""
end

-- Policies -------------------------------------------------------------------------------------

--- The options that a plan gives a policy: those beside its name, and the plan's own options that
-- the policy knows.
local function options_of(plan, said, declared)
  local out = {}
  for _, it in ipairs(declared.options or {}) do
    local value = (plan.options or {})[it.name]
    if type(said) == "table" and said[it.name] ~= nil then value = said[it.name] end
    if type(value) == "table" then value = table.concat(value, " ") end
    out[it.name] = value
  end
  return out
end

local function key_of(use, options)
  local out = {}
  for name, value in pairs(options) do out[#out + 1] = name .. "=" .. tostring(value) end
  table.sort(out)
  return use .. "\0" .. table.concat(out, "\0")
end

--- Policies by their names in plans, each loaded once for each set of options.
local function keeper(core, texts)
  local bases, kept = {}, {}
  local function base_of(use)
    if bases[use] == nil then
      local policy, message, report = core.policy(texts[use], { file = use })
      bases[use] = policy and policy:declared() or { message = message, report = report }
    end
    return bases[use]
  end
  return function (plan, said)
    local use = type(said) == "table" and said.use or said
    if not texts[use] then error({ where = "plan", message = "no policy " .. tostring(use) }, 0) end
    local declared = base_of(use)
    if declared.message then error({ where = "plan", report = declared.report }, 0) end
    local options = options_of(plan, said, declared)
    local key = key_of(use, options)
    if not kept[key] then
      local policy, message, report = core.policy(texts[use], { file = use, options = options })
      if not policy then error({ where = "plan", message = message, report = report }, 0) end
      kept[key] = { loaded = policy, declared = policy:declared(), file = use, text = texts[use] }
    end
    return kept[key]
  end
end

--- Calls visit(holder of `policy`) wherever a plan names a policy.
local function each_policy(plan, visit)
  visit(plan)
  for _, list in ipairs { plan.consumers or {}, plan.windows or {} } do
    for _, it in ipairs(list) do
      if it.policy ~= nil then visit(it) end
    end
  end
  for _, it in pairs(plan.groups or {}) do
    if it.policy ~= nil then visit(it) end
  end
end

--- The policy that a plan's `holder` names, or the core's default.
local function policy_of(plan, holder)
  local function states(key) return plan[key] ~= nil and next(plan[key]) ~= nil end
  return holder.policy or states "queues" and "preemption"
    or states "leases" and not states "consumers" and "shared_lease" or "hybrid"
end

--- policies(plan): each policy that a plan uses, once.
local function policies_of(core, texts)
  local keep = keeper(core, texts)
  return function (plan)
    local out, seen = {}, {}
    each_policy(plan, function (holder)
      local policy = keep(plan, policy_of(plan, holder))
      if not seen[policy] then out[#out + 1] = policy end
      seen[policy] = true
    end)
    return out
  end
end

--- The target of a policy's text; `file` names it. Or nil, message, report.
function Target.of_policy(core, text, file)
  local policy, message, report = core.policy(text, { file = file })
  if not policy then return nil, message, report end
  local declared, texts = policy:declared(), { [file] = text }
  local counts = draw.kind(declared) ~= "queues"
    and (text:find "%f[%w_]usage%f[^%w_]" or text:find "%f[%w_]used_over_share%f[^%w_]") ~= nil
  local target = {
    core = core, texts = texts, name = declared.name, declared = declared,
    policies = policies_of(core, texts),
    site = function (random) return draw.plan(random, declared, file, counts) end,
  }
  if draw.kind(declared) ~= "queues" then
    target.crowd = function (random) return draw.crowd(random, declared, file, counts) end
  end
  return target
end

-- Plans ----------------------------------------------------------------------------------------

--- Removes members that are null.
local function without_null(core, value)
  for key, inner in pairs(value) do
    if inner == core.null then
      value[key] = nil
    elseif type(inner) == "table" then
      without_null(core, inner)
    end
  end
  return value
end

--- The text of a policy named by a plan beside `file`, and the policy's file.
local function fetch(core, host, file, use)
  local text = core.ready(use)
  if text then return text, use end
  local path = use:sub(1, 1) == "/" and use or folder_of(file) .. use
  local message
  text, message = host.read(path)
  return text, path, message
end

--- A plan's text as a table.
function Target.document(core, text)
  return without_null(core, core.decode(text, { relaxed = true }))
end

--- The target of a valid plan, as a table; `texts` has its policies by their names in the
-- plan.
function Target.of_document(core, plan, texts, file)
  plan.version = plan.version or 1
  local target = {
    core = core, texts = texts, policies = policies_of(core, texts), document = plan,
    name = (file:match "([^/]+)$" or file):gsub("%.json$", ""),
  }
  local site = draw.site(plan)
  target.kind, target.whole = site.kind, site
  local leaves = #draw.leaves(plan)
  if leaves <= part.LEAVES then
    target.site = function () return site end
    return target
  end
  target.part = { leaves = part.LEAVES, all = leaves }
  target.crowd = function (random) return site, draw.state(random, site) end
  target.site = function (random)
    local smaller = part.of(random, plan, leaves)
    local valid = core.plan(core.encode(smaller), { file = "plan.json", policies = texts })
    return valid and draw.site(smaller) or site
  end
  return target
end

--- The target of a valid plan's text. Or nil and a message, if a file has since disappeared.
function Target.of_plan(core, host, text, file)
  local plan = Target.document(core, text)
  local texts, fault = {}, nil
  each_policy(plan, function (holder)
    local said = policy_of(plan, holder)
    local use = type(said) == "table" and said.use or said
    local found, name, message = fetch(core, host, file, use)
    fault = fault or not found and (name .. ": " .. tostring(message)) or nil
    texts[name] = found
    if type(said) == "table" then said.use = name else holder.policy = name end
  end)
  if fault then return nil, fault end
  return Target.of_document(core, plan, texts, file)
end

-- Who never gets a slot ------------------------------------------------------------------------

--- The most rows decided for leaves that ask alone: further leaves are not reported.
local ROWS = 400000

--- The leaves that get nothing even if they alone ask for slots. `asked` has the sealed plan, its
-- groups and the core.
local function unserved(asked, paths, now)
  local demand, consumers, served, out = 1000000, {}, {}, {}
  if asked.groups[1] then
    demand = {}
    for _, group in ipairs(asked.groups) do demand[group] = 1000000 end
  end
  for _, path in ipairs(paths) do consumers[path] = { demand = demand } end
  local core = asked.core
  local state = core.state(asked.sealed, core.encode { now = now, consumers = consumers })
  local decision = state and core.cycle(asked.sealed, state)
  if not decision then return out end
  for _, group in pairs(core.decode(decision:json()).groups) do
    for _, row in ipairs(group.consumers) do
      if row.quota > 0 then served[row.path] = true end
    end
  end
  for _, path in ipairs(paths) do
    if not served[path] then out[#out + 1] = path end
  end
  return out
end

--- Leaves of a plan that get nothing even if they alone ask for slots; with windows, at no hour of
-- a week. First all ask at once: a leaf that gets slots then need not ask alone. Leaves not asked
-- before late() are left out.
function Target.unreachable(target, late)
  local plan, out = target.document, {}
  if target.kind == "queues" then return out end
  local sealed = target.core.plan(target.core.encode(plan), {
    file = "plan.json", policies = target.texts,
  })
  if not sealed then return out end
  local asked = { core = target.core, sealed = sealed, groups = draw.groups(plan) }
  local leaves, hours = draw.leaves(plan), plan.windows and 168 or 1
  local left = leaves
  local function ask(paths)
    for hour = 0, hours - 1 do
      if #paths == 0 or late() then return paths end
      paths = unserved(asked, paths, draw.MONDAY + 3600 * hour)
    end
    return paths
  end
  for _ = 1, 2 do left = ask(left) end
  for i = 1, math.min(#left, ROWS // (hours * math.max(#leaves, 1))) do
    if ask { left[i] }[1] and not late() then out[#out + 1] = left[i] end
  end
  return out
end

return Target
