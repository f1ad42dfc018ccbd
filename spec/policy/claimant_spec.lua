-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Victims and guards that read the claimant (C-16, engine/victims/claimant.h).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local plan = case.plan

local function policy(rules, more)
  return ([[
return policy {
  name = "site",
  attributes = {
    priority = { type = "integer", default = 0 }, gentle = { type = "boolean", default = false },
  },
  task_attributes = { level = { type = "integer" } },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "spare" { by = 1 },
  },
  %s
  %s
}]]):format(rules, more or "")
end

local LOWER = [[guards = {
    guard "lower" (function (level, claimant) return level < claimant.priority end),
  },]]
local ORDER = 'victims = { "level", "started" },'

--- Tasks of a leaf: { id, slots, level, more }, started one after another.
local function tasks(lists)
  local out = {}
  for path, list in pairs(lists) do
    for i, short in ipairs(list) do
      local task = {
        id = short[1], consumer = "/" .. path, slots = short[2], level = short[3], started = 10 + i,
      }
      for key, value in pairs(short) do
        if type(key) == "string" then task[key] = value end
      end
      out[#out + 1] = task
    end
  end
  return out
end

local function state(lists, short)
  short.tasks = tasks(lists)
  short.now = 100
  return case.state(short)
end

--- By leaf, the slots by claimant, and the tasks in the order in which they are named.
local function decide(site, now, text)
  site.policy = "site.lua"
  local made, decision = engine.cycle(plan(site), now, nil, text)
  local out = {}
  for _, reclaim in ipairs(made.reclaims) do
    local path = reclaim.consumer:sub(2)
    local it = out[path] or { tasks = "" }
    for _, part in ipairs(reclaim["for"]) do
      local name = part.consumer:sub(2)
      it[name] = (it[name] or 0) + part.slots
    end
    it.tasks = it.tasks .. (it.tasks == "" and "" or " ") .. table.concat(reclaim.tasks, " ")
    out[path] = it
  end
  return out, decision, made
end

local function explained(decision, who)
  return table.concat(decision:explain(who), "\n")
end

-- /hi and /lo own 4 each and lack as much; /x is over by 8 of its 10.
local three = {
  slots = 10, { "hi", owned = 4, priority = 5 }, { "lo", owned = 4, priority = 2 },
  { "x", owned = 2 },
}

describe("a guard that reads the claimant", function ()
  it("spares a task against one claimant that goes for another", function ()
    -- hi takes the lowest, t1 and t2; of what is left lo may take no task but t3.
    local now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 2, 1 }, { "t4", 2, 3 },
      { "t5", 2, 4 } } }, { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    assert.same({ x = { hi = 4, lo = 2, tasks = "t1 t2 t3" } },
      (decide(three, now, policy(LOWER, ORDER))))
    -- Without guards lo has t4, too.
    assert.same({ x = { hi = 4, lo = 4, tasks = "t1 t2 t3 t4" } },
      (decide(three, now, policy("", ORDER))))
  end)

  it("lets claimants take from whom they may: another leaf gives instead", function ()
    -- lo comes first and would take the worst rank's, of y, whose tasks are of level 5.
    local site = {
      slots = 12, { "lo", owned = 2, priority = 2 }, { "hi", owned = 2, priority = 9 },
      { "x", owned = 4 }, { "y", owned = 4, rank = 1 },
    }
    local now = state({ x = { { "x1", 2, 1 }, { "x2", 4, 1 } }, y = { { "y1", 3, 5 },
      { "y2", 3, 5 } } }, { hi = { 2 }, lo = { 2 }, x = { 6, 6 }, y = { 6, 6 } })
    assert.same({ x = { lo = 2, tasks = "x2" }, y = { hi = 2, tasks = "y2" } },
      (decide(site, now, policy(LOWER))))
    assert.same({ x = { hi = 2, tasks = "x2" }, y = { lo = 2, tasks = "y2" } },
      (decide(site, now, policy "")))
  end)

  it("serves the next claimant with what is over of a task, whatever guards say", function ()
    -- hi needs 3 of t1's 4 slots: the fourth is lo's; lo may take no other task.
    local site = {
      slots = 10, { "hi", owned = 3, priority = 5 }, { "lo", owned = 3, priority = 2 },
      { "x", owned = 4 },
    }
    local now = state({ x = { { "t1", 4, 3 }, { "t2", 6, 4 } } },
      { hi = { 3 }, lo = { 3 }, x = { 10, 10 } })
    assert.same({ x = { hi = 3, lo = 1, tasks = "t1" } },
      (decide(site, now, policy(LOWER, ORDER))))
  end)

  it("lets slots go first that no task uses, and those of unlisted work last", function ()
    local now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 3 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    -- Six slots are idle: hi has four of these, lo two, and t1.
    assert.same({ x = { hi = 4, lo = 4, tasks = "t1" } },
      (decide(three, now, policy(LOWER, ORDER))))
    now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 3 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10, 3 } })
    -- Three of the six are unlisted: hi has three idle ones and t1; lo the second of t1's, and
    -- three unlisted.
    assert.same({ x = { hi = 4, lo = 4, tasks = "t1" } },
      (decide(three, now, policy(LOWER, ORDER))))
  end)

  it("protects nobody against a limit or the group's size", function ()
    local none = [[guards = { guard "none" (function (claimant) return claimant.path == "" end) },]]
    local site = { slots = 10, { "hi", owned = 4 }, { "P", limit = 6, { "x", owned = 2 } } }
    local now = state({ ["P/x"] = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 6, 1 } } },
      { hi = { 4 }, ["P/x"] = { 10, 10 } })
    -- The limit takes 4, which serve hi.
    assert.same({ ["P/x"] = { hi = 4, tasks = "t1 t2" } },
      (decide(site, now, policy(none, ORDER))))
    now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 2, 1 } } },
      { slots = 4, x = { 6, 6 } })
    assert.same({ x = { tasks = "t1" } }, (decide(three, now, policy(none, ORDER))))
  end)

  it("keeps guards that do not read the claimant", function ()
    local both = [[guards = { max_preemptions(1),
      guard "lower" (function (level, claimant) return level < claimant.priority end) },]]
    local now = state({ x = { { "t1", 2, 0, preempted = 1 }, { "t2", 2, 1 }, { "t3", 6, 4 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    -- t1 went once. hi takes t3; lo has the rest of it, and t2.
    assert.same({ x = { hi = 4, lo = 4, tasks = "t3 t2" } },
      (decide(three, now, policy(both, 'victims = { desc "level" },'))))
  end)

  it("reads the whole claimant, beside columns or the task", function ()
    local rule = [[guards = { guard "pair" (function (claimant, task)
      return task.level < claimant.priority and claimant.path ~= "/lo" and claimant.parent == ""
        and claimant.quota > claimant.allocated and claimant.owned == 4 and not claimant.gentle
        and task.slots == 2
    end) },]]
    local now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 2, 1 }, { "t4", 4, 3 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    assert.same({ x = { hi = 4, tasks = "t1 t2" } }, (decide(three, now, policy(rule, ORDER))))
  end)

  it("goes with takes, which says who takes from whom", function ()
    local now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 2, 1 }, { "t4", 4, 3 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    local text = policy(LOWER, ORDER
      .. 'takes = function (claimant) return claimant.path == "/lo" end,')
    assert.same({ x = { lo = 4, tasks = "t1 t2" } }, (decide(three, now, text)))
  end)
end)

describe("an order of victims that reads the claimant", function ()
  it("is each claimant's own", function ()
    -- The largest below hi's priority for hi, the smallest for lo.
    local order = [[victims = { function (level, claimant)
      return claimant.priority > 3 and -level or level
    end },]]
    local now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 2, 2 }, { "t4", 4, 3 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    assert.same({ x = { hi = 4, lo = 4, tasks = "t4 t1 t2" } }, (decide(three, now, policy(order))))
  end)

  it("spares per claimant who is not needed", function ()
    -- hi takes t1 (1) and t2 (4), and spares t1; lo takes t1, then t3, and spares t1 again.
    local order = [[victims = { function (level, claimant) return level + 0 * claimant.rank end },]]
    local now = state({ x = { { "t1", 1, 0 }, { "t2", 4, 1 }, { "t3", 5, 2 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    assert.same({ x = { hi = 4, lo = 4, tasks = "t2 t3" } }, (decide(three, now, policy(order))))
    -- All at once take t1, t2 and t3 of 10 slots, and spare t1.
    assert.same({ x = { hi = 4, lo = 4, tasks = "t2 t3" } },
      (decide(three, now, policy("", 'victims = { "level" },'))))
  end)
end)

describe("tasks chosen by claimant", function ()
  local now = state({ x = { { "t1", 2, 0 }, { "t2", 2, 1 }, { "t3", 2, 1 }, { "t4", 2, 3 },
    { "t5", 2, 4 } } }, { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
  local _, decision = decide(three, now, policy(LOWER, ORDER))

  it("are explained: for whom they go", function ()
    local text = explained(decision, "t1")
    assert.matches("It is reclaimed for /hi.", text, 1, true)
    assert.matches("/x gives 4 slots back for /hi; the tasks that go for that hold 4 slots (C-16).",
      text, 1, true)
    text = explained(decision, "t3")
    assert.matches("It stays for /hi.", text, 1, true)
    assert.matches("The last that goes is t2.", text, 1, true)
    assert.matches("It is reclaimed for /lo.", text, 1, true)
    assert.matches("number 1 of 1 candidates.", text, 1, true)
  end)

  it("are explained: why they stay", function ()
    local text = explained(decision, "t4")
    assert.matches("It stays for /hi.", text, 1, true)
    assert.matches("It would go if /x gave 3 more.", text, 1, true)
    assert.matches("For /lo it stays: guard lower protects it (C-16).", text, 1, true)
    assert.no.matches("for /lo%. *$", text)
  end)

  it("are explained to who lacks slots, and to who keeps them", function ()
    assert.matches("It still lacks 2: it may take no more from those above their quota (guards).",
      explained(decision, "/lo"), 1, true)
    local hard = policy('guards = { guard "no" (function (claimant) return claimant.gentle end) },')
    local _, other = decide(three, now, hard)
    assert.matches("It is over by 8, but no consumer that lacks slots may take them (guards): it "
      .. "keeps them.", explained(other, "/x"), 1, true)
    local both = policy(LOWER .. "takes = function (claimant) return claimant.path ~= '/lo' end,")
    _, other = decide(three, now, both)
    assert.matches("(takes, guards)", explained(other, "/lo"), 1, true)
  end)

  it("are explained where others cover what is given", function ()
    local idle = state({ x = { { "t1", 8, 0 }, { "t2", 1, 4 } } },
      { hi = { 4 }, lo = { 4 }, x = { 10, 10 } })
    local _, other = decide(three, idle, policy(LOWER, ORDER))
    assert.matches("/x gives 4 slots back for /hi; 1 of them no task uses, or other victims cover; "
      .. "the tasks that go for the rest hold 8 slots (C-16).", explained(other, "t1"), 1, true)
  end)

  it("go last, and without it, for what no claimant gets", function ()
    local site = { slots = 10, { "hi", owned = 2, priority = 5 }, { "P", limit = 4, { "x" } } }
    local tight = state({ ["P/x"] = { { "t1", 2, 0 }, { "t2", 3, 9 }, { "t3", 3, 1 },
      { "t4", 2, 9 } } }, { hi = { 2 }, ["P/x"] = { 10, 10 } })
    -- The limit takes 6, two of which serve hi: by the order t1, t3 and t2, of which t1 is spared.
    local made, other = decide(site, tight, policy(LOWER, ORDER))
    assert.same({ ["P/x"] = { hi = 2, tasks = "t3 t2" } }, made)
    assert.matches("It is reclaimed.", explained(other, "t2"), 1, true)
  end)
end)

-- ---- The model ----------------------------------------------------------------------------------
--
-- A slow model of victims by claimant on one level (C-16): who gives how much to whom, and which
-- tasks go. A task may go for claimants whose priority is above its level; for even priorities the
-- lowest level goes first, for odd ones the highest.

--- Which of the tasks goes first for a claimant.
local function before(claimant)
  return function (a, b)
    local x, y = a.level, b.level
    if claimant.priority % 2 ~= 0 then x, y = -x, -y end
    if x ~= y then return x < y end
    if a.started ~= b.started then return a.started < b.started end
    return a.id > b.id
  end
end

local function may(claimant, task)
  return task.level < claimant.priority
end

--- Slots that a giver could give on to a claimant.
local function room(giver, claimant)
  local sum = giver.idle + giver.unlisted + giver.beyond
  for _, task in ipairs(giver.tasks) do
    if not task.goes and may(claimant, task) then sum = sum + task.slots end
  end
  return math.max(0, math.min(giver.over, sum))
end

--- Names tasks of a giver for so many slots of a claimant.
local function take(giver, claimant, slots)
  giver.parts[#giver.parts + 1] = { consumer = claimant.path, slots = slots }
  giver.over = giver.over - slots
  for _, key in ipairs { "beyond", "idle" } do
    local part = math.min(giver[key], slots)
    giver[key], slots = giver[key] - part, slots - part
  end
  local list, taken = {}, {}
  for _, task in ipairs(giver.tasks) do
    if not task.goes and may(claimant, task) then list[#list + 1] = task end
  end
  table.sort(list, before(claimant))
  for _, task in ipairs(list) do
    if slots <= 0 then break end
    taken[#taken + 1], slots = task, slots - task.slots
  end
  for i = #taken, 1, -1 do
    if slots + taken[i].slots <= 0 then
      slots = slots + taken[i].slots
      table.remove(taken, i)
    end
  end
  for _, task in ipairs(taken) do
    task.goes = true
    giver.named[#giver.named + 1] = task.id
  end
  giver.beyond = giver.beyond - math.min(slots, 0)
  giver.unlisted = giver.unlisted - math.max(slots, 0)
end

--- C-7: the worst rank first, in proportion to what each has for the claimant.
local function split(givers, claimant, slots)
  local parts, ranks = {}, {}
  for i, giver in ipairs(givers) do
    parts[i] = 0
    ranks[giver.rank] = ranks[giver.rank] or {}
    table.insert(ranks[giver.rank], { i = i, over = room(giver, claimant) })
  end
  for rank = 9, 0, -1 do
    local all, sum = ranks[rank] or {}, 0
    for _, it in ipairs(all) do sum = sum + it.over end
    local due = math.min(slots, sum)
    local left = due
    for _, it in ipairs(all) do
      parts[it.i] = sum > 0 and due * it.over // sum or 0
      left = left - parts[it.i]
    end
    table.sort(all, function (a, b)
      if a.over ~= b.over then return a.over > b.over end
      return a.i > b.i
    end)
    for k = 1, left do parts[all[k].i] = parts[all[k].i] + 1 end
    slots = slots - due
  end
  return parts
end

--- Do two claimants see the same tasks as protected?
local function alike(givers, a, b)
  for _, giver in ipairs(givers) do
    for _, task in ipairs(giver.tasks) do
      if may(a, task) ~= may(b, task) then return false end
    end
  end
  return true
end

--- What leaves give back, by path: parts by claimant, and tasks. `it` has a plan and a state;
--- `made` is what was decided.
local function model(it, made)
  local rows, claimants, givers, out = {}, {}, {}, {}
  for _, row in ipairs(made.groups.default.consumers) do rows[row.path] = row end
  for i, node in ipairs(it.plan.consumers) do
    local path = "/" .. node.name
    local row = rows[path]
    local one = { path = path, place = i, rank = node.rank, priority = node.priority }
    one.lack = row.quota - row.allocated - row.granted - row.held
    one.over = row.allocated - row.quota
    if one.lack > 0 then claimants[#claimants + 1] = one end
    if one.over > 0 then givers[#givers + 1] = one end
    one.tasks, one.parts, one.named, one.beyond = {}, {}, {}, 0
    local loose = row.allocated
    for _, task in ipairs(it.state.tasks or {}) do
      if task.consumer == path then
        one.tasks[#one.tasks + 1] = setmetatable({}, { __index = task })
        loose = loose - task.slots
      end
    end
    one.unlisted = it.state.consumers[path].unlisted or 0
    one.idle = math.max(0, loose - one.unlisted)
    one.unlisted = loose - one.idle
    out[path] = one
  end
  table.sort(claimants, function (a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.place < b.place
  end)
  local first = 1
  while first <= #claimants do
    local last, sum = first, claimants[first].lack
    while last < #claimants and alike(givers, claimants[first], claimants[last + 1]) do
      last = last + 1
      sum = sum + claimants[last].lack
    end
    local parts = split(givers, claimants[first], sum)
    local order = {}
    for i in ipairs(givers) do order[i] = i end
    table.sort(order, function (a, b)
      if givers[a].rank ~= givers[b].rank then return givers[a].rank > givers[b].rank end
      return a > b
    end)
    for _, i in ipairs(order) do
      for k = first, last do
        local part = math.min(parts[i], claimants[k].lack)
        if part > 0 then
          take(givers[i], claimants[k], part)
          parts[i], claimants[k].lack = parts[i] - part, claimants[k].lack - part
        end
      end
    end
    first = last + 1
  end
  local expected = {}
  for path, one in pairs(out) do
    if #one.parts > 0 then expected[path] = { parts = one.parts, tasks = one.named } end
  end
  return expected
end

-- ---- Random cases -------------------------------------------------------------------------------

local BOTH = policy [[
  guards = { guard "lower" (function (level, claimant) return level < claimant.priority end) },
  victims = {
    function (claimant, level) return claimant.priority % 2 == 0 and level or -level end,
    "started",
  },
]]
local ANY = policy "takes = function () return true end,"
local ALL = policy [[guards = {
  guard "all" (function (claimant) return claimant.rank >= 0 end) },]]

local function found(made)
  local out = {}
  for _, reclaim in ipairs(made.reclaims) do
    local parts = {}
    for i, part in ipairs(reclaim["for"]) do
      parts[i] = { consumer = part.consumer, slots = part.slots }
    end
    out[reclaim.consumer] = { parts = parts, tasks = reclaim.tasks }
  end
  return out
end

--- Of one level, or a tree; `waits`: some tasks are pending.
local function draw(seed, tree, waits)
  local random = Random.new(seed)
  local it = {
    plan = { version = 1, policy = "site.lua", consumers = {} },
    state = { now = 1000, consumers = {}, tasks = {} }, held = 0, levels = {}, priorities = {},
  }
  local function leaf(list, above, name)
    local node = {
      name = name, owned = random:int(0, 6), priority = random:int(0, 4), rank = random:int(0, 2),
    }
    list[#list + 1] = node
    local path = above .. "/" .. name
    it.priorities[path] = node.priority
    local slots = 0
    for _ = 1, random:int(0, 5) do
      local task = {
        id = ("t%d"):format(#it.state.tasks + 1), consumer = path, slots = random:int(1, 4),
        level = random:int(0, 4), started = random:int(1, 3),
      }
      it.levels[task.id] = task.level
      it.state.tasks[#it.state.tasks + 1] = task
      if waits and random:int(0, 2) == 0 then
        task.state, task.started = "pending", nil
      else
        slots = slots + task.slots
      end
    end
    local loose = random:int(0, 2) == 0 and random:int(1, 4) or 0
    it.state.consumers[path] = {
      demand = not waits and random:int(0, 14) or nil, allocated = slots + loose,
      unlisted = #it.state.tasks > 0 and loose > 1 and random:int(0, loose) or nil,
    }
    it.held = it.held + slots + loose
  end
  for i = 1, 1 + random:int(0, 6) do
    if tree and random:int(0, 2) == 0 then
      local parent = { name = "p" .. i, children = {} }
      it.plan.consumers[#it.plan.consumers + 1] = parent
      for k = 1, 1 + random:int(0, 3) do leaf(parent.children, "/p" .. i, "c" .. k) end
      if random:int(0, 2) == 0 then
        parent.limit, it.limited = 24 + random:int(0, 20), true
      end
    else
      leaf(it.plan.consumers, "", "c" .. i)
    end
  end
  it.state.slots = it.held
  if #it.state.tasks == 0 then it.state.tasks = nil end
  return it
end

--- Raises unless each task that goes over quota may go for one of the claimants; a limit may take
--- any.
local function check(it, made)
  if it.limited then return end
  for _, reclaim in ipairs(made.reclaims) do
    for _, id in ipairs(reclaim.why.code == "over-quota" and reclaim.tasks or {}) do
      local good = false
      for _, part in ipairs(reclaim["for"]) do
        good = good or it.levels[id] < it.priorities[part.consumer]
      end
      if not good then error(id .. " goes, but is protected against all claimants", 0) end
    end
  end
end

--- Is a smaller case a case still? Shrinking may leave nothing of a plan.
local function sound(it)
  return it.plan.version == 1 and pcall(engine.cycle, it.plan, it.state, nil, BOTH)
end

describe("victims by claimant on random cases", function ()
  property("are those of the model", { runs = 400, valid = sound }, function (it)
    local made = engine.cycle(it.plan, it.state, nil, BOTH)
    assert.same(model(it, made), found(made))
  end, function (seed) return draw(seed) end)

  local function rests(it)
    local now = it.state
    for cycle = 1, 30 do
      local made = engine.cycle(it.plan, now, nil, BOTH)
      check(it, made)
      if engine.rests(made) then return end
      if cycle == 30 then error("no rest", 0) end
      now = engine.after(made)
    end
  end

  property("come to rest, past their guards", { runs = 150, valid = sound }, rests,
    function (seed) return draw(seed, true) end)
  property("come to rest where tasks wait", { runs = 150, valid = sound }, rests,
    function (seed) return draw(seed, true, true) end)

  local opts = { runs = 100, valid = sound }
  property("are for those of takes that always holds, if all may go", opts, function (it)
    local plain = engine.cycle(it.plan, it.state, nil, ANY)
    local all = engine.cycle(it.plan, it.state, nil, ALL)
    for _, made in ipairs { plain, all } do
      for _, reclaim in ipairs(made.reclaims) do
        reclaim.tasks, reclaim.lost, reclaim.unknown = nil, nil, nil
      end
    end
    assert.same(plain.reclaims, all.reclaims)
  end, function (seed) return draw(seed, true) end)
end)
