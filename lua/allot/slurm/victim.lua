-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Victims: what their jobs get at the order, and at the deadline.

local core = require "allot.core"

local victim = {}

local AGAIN = 15 -- s: a job that still runs so long after its requeue is requeued again

--- Did that happen in the last so many seconds? What a clock that was set back has in its future
-- did not.
function victim.within(seconds, at, now)
  return at ~= nil and at <= now and now - at < seconds
end

local function each(flights, jobs, visit)
  for _, flight in ipairs(flights) do
    for _, id in ipairs(flight.tasks or {}) do
      local job = jobs[id]
      if job and job.state == "running" and not job.ending then
        visit(id .. "@" .. job.submitted, job, flight)
      end
    end
  end
end

--- Forgets what was done with jobs that are no victims any more.
local function still(kept, flights, jobs)
  local list = {}
  each(flights, jobs, function (id) list[id] = kept[id] or {} end)
  return list
end

local function recent(times, now)
  local list = {}
  for _, at in ipairs(times) do
    if victim.within(60, at, now) then list[#list + 1] = at end
  end
  return list
end

--- What a job's users read in its AdminComment.
local function reason(flight)
  local names = {}
  for i, claim in ipairs(flight["for"] or {}) do names[i] = claim.consumer end
  local kind = flight.group and flight.group ~= "default" and " " .. flight.group or ""
  return ("allot: goes at %s, %s gives back %d%s to %s"):format(core.time(flight.deadline),
    flight.consumer, flight.slots, kind, #names > 0 and table.concat(names, ", ") or "its limits")
end

--- What to do with victims now: { comments = { { text =, names } }, signal = names, requeue =
-- names, cancel = names, left = number for later }, since no more than options.most_requeues a
-- minute go. `kept` is { victims =, times =, mute = whether comments are refused }, and changes.
function victim.due(flights, jobs, kept, now, options)
  local due, by_text = { comments = {}, signal = {}, requeue = {}, cancel = {}, left = 0 }, {}
  kept.victims, kept.times = still(kept.victims, flights, jobs), recent(kept.times, now)
  each(flights, jobs, function (id, job, flight)
    local done = kept.victims[id]
    if not done.told and not kept.mute then
      local said = reason(flight)
      if not by_text[said] then
        by_text[said] = { text = said }
        due.comments[#due.comments + 1] = by_text[said]
      end
      table.insert(by_text[said], job.name)
      done.told = now
    end
    if not done.signalled and options.signal and now < flight.deadline then
      due.signal[#due.signal + 1], done.signalled = job.name, now
    end
    if now < flight.deadline or victim.within(AGAIN, done.ordered, now) then return end
    if #kept.times >= options.most_requeues then
      due.left = due.left + 1
      return
    end
    kept.times[#kept.times + 1], done.ordered = now, now
    local list = job.requeues and due.requeue or due.cancel
    list[#list + 1] = job.name
  end)
  return due
end

--- The commands for these; one names many jobs.
function victim.commands(due, options)
  local list = {}
  local function put(words, names, as_one)
    if #names == 0 then return end
    if as_one then
      words[#words + 1] = table.concat(names, ",")
    else
      table.move(names, 1, #names, #words + 1, words)
    end
    list[#list + 1] = words
  end
  for _, comment in ipairs(due.comments) do
    list[#list + 1] = { "scontrol", "update", "job=" .. table.concat(comment, ","),
      "AdminComment=" .. comment.text }
  end
  put({ "scancel", "--full", "--signal=" .. tostring(options.signal) }, due.signal)
  put({ "scontrol", "requeue" }, due.requeue, true)
  put({ "scancel" }, due.cancel)
  return list
end

--- The command that releases held jobs whose tasks a decision starts, and their number; nil: none.
function victim.release(decision, jobs)
  local names, seen = {}, {}
  for _, grant in ipairs(decision.grants) do
    for _, id in ipairs(grant.tasks or {}) do
      local job = jobs[id]
      local name = job and job.held and id
      if name and not seen[name] then
        names[#names + 1], seen[name] = name, true
      end
    end
  end
  if #names == 0 then return nil, 0 end
  return { "scontrol", "release", table.concat(names, ",") }, #names
end

return victim
