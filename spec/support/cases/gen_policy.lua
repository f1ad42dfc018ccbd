-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random site policies: the same rules as Lua for the engine and as data for the model
-- (model/rules.lua says what a source and a key are).

local Random = require "allot.check.random"
local leaves_of = require "allot.check.draw_tree".leaves
local gen = require "spec.support.cases.gen"

local gen_policy = {}

local MOST = 1000000000

--- Columns by the stage that knows them. As a weight a column is an amount, so one that can be
--- negative is none; a parent's sums may be too large for one, unless the case is `small`.
local AMOUNTS = {
  "owned", "configured", "reserve", "limit", "share", "share", "share", "rank", "grace", "cap",
  "group_slots",
}
local SUMS = { "demand", "need", "allocated", "in_flight" }
local LATER = {
  reserve = {}, quota = {}, rounding = {}, distribute = { "quota" },
  reclaim = { "quota", "received", "over" },
}
local EARLY = { reserve = true, quota = true, rounding = true }
local ROUNDINGS = { "rank", "ceil_in_order", "largest_remainder", "webster" }

--- Skewed, since that is where roundings differ.
local SHARES = { 0, 1, 1, 2, 3, 7, 20, 100 }

--- Bodies of functions of a and b: amounts, and keys of any sign.
local WEIGHTS = {
  "a", "a % 5", "(a + 2 * b) % 7", "a > b and 3 or 0", "b > 0 and a // (b + 1) or 0",
  "math.min(a, 40)", "a > 0 and 1 or 0", "a + b",
}
local KEYS = {
  "a", "-a", "a - b", "a % 3", "a > b and 1 or 0", "a * 2 + b", "b == 0 and -1 or a % 4",
}

-- Drawing --------------------------------------------------------------------------------------

--- The columns that a stage may read; for an amount only those that are amounts. In a `steady`
-- policy quotas are the same while wishes are: they do not go by what is held.
local function columns(stage, style, amounts, sums)
  local out = { table.unpack(AMOUNTS) }
  local used = style.counts and stage ~= "reserve" -- which comes before
  if used then out[#out + 1] = "usage" end
  if sums then
    table.move(SUMS, 1, style.steady and EARLY[stage] and 2 or #SUMS, #out + 1, out)
  end
  table.move(LATER[stage], 1, #LATER[stage], #out + 1, out)
  if not amounts then
    out[#out + 1] = "tier"
    if used then out[#out + 1] = "used_over_share" end
  end
  return out
end

--- A column of a stage; those that the stage brings are what it is about.
local function draw_column(random, known, stage)
  local later = LATER[stage]
  return later[1] and random:once_in(3) and random:pick(later) or random:pick(known)
end

local function draw_function(random, stage, style, amounts)
  local known = columns(stage, style, amounts, stage ~= "reserve")
  local bodies = amounts and WEIGHTS or KEYS
  local a, b = draw_column(random, known, stage), draw_column(random, known, stage)
  if stage == "quota" and random:once_in(4) then
    a = "sum_" .. a
  elseif stage ~= "rounding" and stage ~= "reserve" and random:once_in(4) then
    a = "parent_slots"
  end
  local body = random:pick(bodies):gsub("%f[%w]([ab])%f[%W]", { a = a, b = b })
  body = amounts and ("math.min(%s, 1000000000)"):format(body) or body
  local two = a ~= b and body:find("%f[%w]" .. b .. "%f[%W]")
  return { reads = two and a .. ", " .. b or a, body = body }
end

local function draw_amount(random, stage, style, sums)
  local known = columns(stage, style, true, sums)
  local kind = random:int(1, 6)
  if kind == 1 then
    return random:pick { 0, 1, 1, 1, 2, 50 }
  elseif kind <= 3 then
    return draw_function(random, stage, style, true)
  end
  return draw_column(random, known, stage)
end

local function draw_keys(random, stage, style, most)
  local keys, known = {}, columns(stage, style, false, true)
  for i = 1, random:int(0, most) do
    local source = random:once_in(3) and draw_function(random, stage, style, false)
      or draw_column(random, known, stage)
    keys[i] = { key = source, desc = random:once_in(2) }
  end
  return keys
end

--- A list of fills like those of "share_ratio": what all would have by their shares goes first.
local function draw_shares(random, style)
  local by = random:pick { "share", "share", 1 }
  local fills = {
    { label = "planned", by = by, up_to = "part" },
    { label = "kept", by = by, up_to = random:pick { "held", "held", "allocated" },
      order = random:once_in(2) and draw_keys(random, "quota", style, 1) or nil },
    { label = "shared", by = by },
  }
  if style.steady or random:once_in(3) then
    table.remove(fills, 2)
  end
  if random:once_in(3) then
    table.insert(fills, 1, { label = "some", by = 1, up_to = random:pick { "owned", 3, "share" } })
  end
  return fills
end

local function draw_cap(random, style)
  if random:once_in(2) then return nil end
  if random:once_in(4) then return { percent = random:pick { "share", "cap" } } end
  return draw_amount(random, "quota", style, true)
end

local function draw_site(random, style)
  local site = { fills = {}, shared = random:once_in(2) }
  for i = 1, random:int(1, 4) do
    site.fills[i] = {
      label = "f" .. i, by = draw_amount(random, "quota", style, style.small),
      up_to = draw_cap(random, style),
      order = random:once_in(3) and draw_keys(random, "quota", style, 2) or nil,
    }
  end
  if random:once_in(3) then
    -- What is owned is a fraction when the group is not of its planned size.
    local first = { label = "owned", by = "owned", up_to = "owned" }
    first.order = random:once_in(2) and draw_keys(random, "quota", style, 2) or nil
    table.insert(site.fills, 1, first)
  end
  if random:once_in(2) then
    site.fills[#site.fills + 1] = { label = "rest", by = random:pick { 1, "share" } }
  end
  if random:once_in(4) then
    site.fills = draw_shares(random, style)
  end
  for _, fill in ipairs(site.fills) do
    fill.level = random:once_in(3) or nil
  end
  if random:once_in(4) then site.reserve = draw_amount(random, "reserve", style, false) end
  site.across = random:once_in(4)
  site.round = random:pick(ROUNDINGS)
  if random:once_in(2) then
    -- Rounding in order comes before there are quotas to order by.
    local stage = site.round == "ceil_in_order" and "rounding" or "distribute"
    site.distribute = draw_keys(random, stage, style, 3)
  end
  if not random:once_in(4) then
    site.reclaim = {
      by = draw_amount(random, "reclaim", style, style.small),
      order = not random:once_in(3) and draw_keys(random, "reclaim", style, 2) or nil,
    }
  end
  return site
end

-- Writing --------------------------------------------------------------------------------------

--- A source in Lua. `shared`: equal functions are one, written once in front of the policy.
local function write_source(source, shared)
  if type(source) == "string" then
    return '"' .. source .. '"'
  elseif type(source) == "number" then
    return tostring(source)
  elseif source.percent then
    return ('percent "%s"'):format(source.percent)
  end
  local text = ("function (%s) return %s end"):format(source.reads, source.body)
  if not shared then
    return text
  elseif not shared[text] then
    shared[#shared + 1] = text
    shared[text] = "f" .. #shared
  end
  return shared[text]
end

local function write_keys(keys, shared)
  local out = {}
  for i, key in ipairs(keys) do
    out[i] = (key.desc and "desc(%s)" or "%s"):format(write_source(key.key, shared))
  end
  return "order { " .. table.concat(out, ", ") .. " }"
end

local function write_fill(fill, shared)
  return ("fill%s { by = %s%s%s%s }"):format(
    fill.label and ' "' .. fill.label .. '"' or "", write_source(fill.by, shared),
    (fill.up_to == "part" or fill.up_to == "held") and ", up_to = " .. fill.up_to
      or fill.up_to and ", up_to = " .. write_source(fill.up_to, shared) or "",
    fill.order and ", order = " .. write_keys(fill.order, shared) or "",
    fill.level and ", level = true" or "")
end

local HEAD = [[
  name = "site",
  attributes = {
    cap = { type = "integer", min = 0, default = none },
    tier = { type = "integer", min = -3, max = 3, default = 2 },
  },
]]

--- The policy's text.
function gen_policy.write(site)
  local shared = site.shared and {} or nil
  local lines = { "  quota = {" }
  for _, fill in ipairs(site.fills or {}) do
    lines[#lines + 1] = "    " .. write_fill(fill, shared) .. ","
  end
  lines[#lines + 1] = "  },"
  if site.reserve then
    lines[#lines + 1] = ("  reserve = %s,"):format(write_source(site.reserve, shared))
  end
  lines[#lines + 1] = site.round and ('  round = "%s",'):format(site.round)
  lines[#lines + 1] = site.across and '  enforce = "leaf",' or nil
  if site.distribute then
    lines[#lines + 1] = "  distribute = " .. write_keys(site.distribute, shared) .. ","
  end
  if site.reclaim then
    lines[#lines + 1] = "  reclaim = " .. write_fill(site.reclaim, shared) .. ","
  end
  local front = {}
  for i, text in ipairs(shared or {}) do
    front[i] = ("local f%d = %s\n"):format(i, text)
  end
  return table.concat(front) .. "return policy {\n" .. HEAD .. table.concat(lines, "\n") .. "\n}\n"
end

-- Cases ----------------------------------------------------------------------------------------

--- Whether sums over all consumers are amounts still.
local function is_small(state)
  local sum = 0
  local function add(value)
    if type(value) == "table" then
      for _, inner in pairs(value) do
        add(inner)
      end
    else
      sum = sum + value
    end
  end
  add(state.consumers)
  for _, reclaim in ipairs(state.reclaims or {}) do
    sum = sum + reclaim.slots
  end
  return sum <= MOST
end

local function draw_columns(random, list)
  for _, node in ipairs(list) do
    node.share = random:pick(SHARES)
    node.grace = random:once_in(2) and random:int(0, 3) or nil
    node.cap = random:once_in(2) and random:int(0, 20) or nil
    node.tier = random:once_in(2) and random:int(-3, 3) or nil
    draw_columns(random, node.children or {})
  end
end

--- Makes a group scarce: most of its leaves want more than they have, some have what others are
--- owed, and there are fewer slots than are wanted.
local function crowd(random, rows, group)
  local scale, held, wanted = random:pick { 3, 8, 30, 200 }, 0, 0
  local function set(row, field, value)
    if group then
      row[field][group] = value
    else
      row[field] = value
    end
  end
  for _, row in ipairs(rows) do
    local allocated = random:once_in(3) and 0 or random:int(0, scale)
    local demand = random:once_in(6) and 0 or random:int(0, 2 * scale)
    held, wanted = held + allocated, wanted + demand
    set(row, "allocated", allocated)
    set(row, "demand", demand)
  end
  return random:int(held * 2 // 3, math.max(held, wanted))
end

--- The state's rows in plan order, and the state made scarce in every group.
local function make_scarce(random, it)
  local rows, state = {}, it.state
  for i, path in ipairs(leaves_of(it.plan)) do rows[i] = state.consumers[path] end
  state.reclaims = nil
  if not it.plan.groups then
    state.slots = crowd(random, rows)
    return
  end
  local names = {}
  for name in pairs(it.plan.groups) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    state.slots[name] = crowd(random, rows, name)
  end
end

local function widest(list)
  local most = #list
  for _, node in ipairs(list) do
    most = math.max(most, widest(node.children or {}))
  end
  return most
end

--- A case of gen.lua, most often one with a family that has something to divide.
local function draw_case(random, seed)
  local least = random:pick { 1, 3, 3, 4, 5 }
  local it = gen.tree(seed)
  while widest(it.plan.consumers) < least do
    seed = seed + 1000003
    it = gen.tree(seed)
  end
  return it
end

--- Has some slots in flight come back for the reserve of a claimant's parent.
local function claim_for_parents(random, state)
  for _, reclaim in ipairs(state.reclaims or {}) do
    for _, claim in ipairs(reclaim["for"] or {}) do
      local parent = claim.consumer:match "^(/.*)/[^/]*$"
      if parent and random:once_in(4) then
        claim.consumer = parent
      end
    end
  end
end

--- Gives leaves use of `now`, so that it has not faded: a number, or one by group.
local function draw_use(random, it)
  local names = {}
  for name in pairs(it.plan.groups or {}) do names[#names + 1] = name end
  table.sort(names)
  it.plan.half_life, it.state.usage_at = random:pick { 0, 1, 3600, 604800 }, it.state.now
  for _, path in ipairs(leaves_of(it.plan)) do
    local row = it.state.consumers[path]
    local function draw() return random:pick { 0, 0, 1, 7, random:int(0, 100000) } end
    if row then row.usage = it.plan.groups and {} or draw() end
    for _, name in ipairs(row and names or {}) do row.usage[name] = draw() end
  end
end

--- A random case with a policy: `site` has its rules, `policy` is its text. `unused`: no rule reads
--- use, so that a plan that does not count it may have the policy, too.
function gen_policy.case(seed, steady, unused)
  local random = Random.new(seed * 7919)
  local it = draw_case(random, seed)
  if not random:once_in(3) then
    make_scarce(random, it)
  end
  claim_for_parents(random, it.state)
  local own = Random.new(seed * 104729)
  local counts = own:once_in(3) and not unused
  it.site = draw_site(random, { small = is_small(it.state), steady = steady, counts = counts })
  if counts then draw_use(own, it) end
  it.write = gen_policy.write
  it.policy = gen_policy.write(it.site)
  it.plan.policy = "site.lua"
  if it.plan.options then
    it.plan.options.evenly = nil
    it.plan.options = next(it.plan.options) and it.plan.options
  end
  draw_columns(random, it.plan.consumers)
  return it
end

--- The same, where quotas go neither by what is held nor by what was.
function gen_policy.steady(seed)
  return gen_policy.case(seed, true, true)
end

return gen_policy
