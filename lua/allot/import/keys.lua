-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Converts values of LSF's keywords, one by one, into values of a plan; or nil and the
--- reason.

local lsf = require "allot.import.lsf"

local keys = {}

local function whole(text, least)
  local number = text:match "^%s*(%d+)%s*$"
  number = number and math.tointeger(tonumber(number))
  if not number or number > 1000000000 then return nil, "no whole number" end
  if number < (least or 0) then return nil, ("below %d"):format(least) end
  return number
end

local function signed(text)
  if text:find "^%-" then return nil, "a plan's priorities begin at 0" end
  return whole(text)
end

local function positive(text)
  return whole(text, 1)
end

local function yes(text)
  local word = text:upper()
  if word == "Y" or word == "YES" then return true end
  if word == "N" or word == "NO" then return false end
  return nil, "neither Y nor N"
end

--- Minutes, or so many percent.
local function minutes_or_percent(text)
  local percent = text:match "^%s*(%d+)%%%s*$"
  if percent then return percent .. "%" end
  return whole(text)
end

--- [hour:]minute, perhaps with `/host`, whose speed a plan does not know.
local function run_limit(text)
  local first, second = text:match "^%s*(%S+)%s+(%S+)%s*$"
  local last = second or text
  local slow = last:find "/" and "a plan knows no speed of hosts, the time is taken as it is"
  last = last:match "^[^/]*"
  local hours, minutes = last:match "^%s*(%d+):(%d+)%s*$"
  local number = hours and tonumber(hours) * 60 + tonumber(minutes) or whole(last)
  if not number then return nil, "no time like [hour:]minute" end
  return number,
    slow or first and "the first of two is a default, which a plan does not have" or nil
end

local function wait_time(text)
  return whole(text, 300)
end

local name = lsf.trim

local function slot_share(text)
  local number, why = whole(text, 1)
  if number and number > 100 then return nil, "above 100" end
  return number, why
end

local function per_processor(text)
  local number = tonumber(text)
  if not number or number < 0 then return nil, "no number" end
  return number
end

--- HOSTS: names, groups; `all`, `~not`; `+1` and `!` are preferences that a plan does not have.
local function hosts(text)
  local out, note, seen = {}, nil, {}
  for _, word in ipairs(lsf.words(text)) do
    local plain = word:gsub("[+!]%d*$", "")
    if plain == "others" then plain = "all" end -- hosts that are not preferred
    if plain ~= word then note = ("'%s': a plan has no preference of hosts"):format(word) end
    if not seen[plain] then out[#out + 1], seen[plain] = plain, true end
  end
  return out, note
end

local function preempts(text)
  return (lsf.trim(text):gsub("%s+", " "):gsub(" ?%[ ?", "["):gsub(" %]", "]"))
end

local function jobs_when(text)
  local others, preempt = {}, nil
  for _, word in ipairs(lsf.words(text)) do
    if word:upper() == "PREEMPT" then preempt = { "PREEMPT" } else others[#others + 1] = word end
  end
  return preempt, others[1] and table.concat(others, ", ") .. ": no event of a plan"
end

--- JOB_CONTROLS = SUSPEND[brequeue $LSB_JOBID] TERMINATE[...] (P-41).
local function job_controls(text)
  local _, open = text:find "SUSPEND%s*%["
  local action = open and text:match("^[^%]]*", open + 1)
  action = action and lsf.trim(action)
  if text:find "TERMINATE%s*%[%s*brequeue" then
    return nil, "TERMINATE[brequeue] is a deadlock, LSF refuses it"
  elseif not action then
    return nil, "a plan has actions of SUSPEND alone"
  elseif action:find "^brequeue" then
    return { suspend = "requeue" }
  elseif action == "CHKPNT" then
    return { suspend = "checkpoint" }
  elseif action:find "^bkill" or action:find "^SIGKILL" or action == "TERMINATE" then
    return { suspend = "kill" }
  end
  return { suspend = "suspend" }, ("'%s' is taken to suspend the job"):format(action)
end

local function words_of(known)
  return function (text)
    local out, strange = {}, {}
    for _, word in ipairs(lsf.words(text)) do
      local list = known[word:upper()] and out or strange
      list[#list + 1] = known[word:upper()] and word:upper() or word
    end
    return out[1] and table.concat(out, " "),
      strange[1] and table.concat(strange, ", ") .. ": not known"
  end
end

local PROTECTION = {
  MAX_JOB_PREEMPT = { "max_job_preempt", positive },
  MAX_TOTAL_TIME_PREEMPT = { "max_total_time_preempt", whole },
  NO_PREEMPT_INTERVAL = { "no_preempt_interval", whole },
  NO_PREEMPT_RUN_TIME = { "no_preempt_run_time", minutes_or_percent },
  NO_PREEMPT_FINISH_TIME = { "no_preempt_finish_time", minutes_or_percent },
  PREEMPT_DELAY = { "preempt_delay", whole },
}

local function with_protection(out)
  for key, of in pairs(PROTECTION) do out[key] = of end
  return out
end

keys.queue = with_protection {
  QUEUE_NAME = { "name", name },
  PRIORITY = { "priority", signed },
  PREEMPTION = { "preemption", preempts },
  SLOT_POOL = { "slot_pool", name },
  SLOT_SHARE = { "slot_share", slot_share },
  MAX_SLOTS_IN_POOL = { "max_slots_in_pool", whole },
  USE_PRIORITY_IN_POOL = { "use_priority_in_pool", yes },
  QJOB_LIMIT = { "qjob_limit", whole },
  UJOB_LIMIT = { "ujob_limit", whole },
  PJOB_LIMIT = { "pjob_limit", per_processor },
  HJOB_LIMIT = { "hjob_limit", whole },
  HOSTS = { "hosts", hosts },
  RUNLIMIT = { "runlimit", run_limit },
  TERMINATE_WHEN = { "terminate_when", jobs_when },
  JOB_CONTROLS = { "job_controls", job_controls },
  BACKFILL = { "backfill", yes },
  INTERRUPTIBLE_BACKFILL = { "interruptible_backfill", whole },
  SLOT_RESERVE = { "slot_reserve", function () return true end },
  FAIRSHARE = { "fairshare", function ()
    return true, "the queue is dispatched as a whole; its users' shares are not carried over"
  end },
  FAIRSHARE_QUEUES = { "fairshare_queues", function ()
    return true, "users' shares across queues are not carried over"
  end },
}

keys.application = with_protection {
  NAME = { "name", name },
  RUNLIMIT = { "runlimit", run_limit },
}

keys.parameters = with_protection {
  PREEMPT_FOR = { "preempt_for", words_of {
    GROUP_JLP = 1, GROUP_MAX = 1, HOST_JLU = 1, USER_JLP = 1, LEAST_RUN_TIME = 1, MINI_JOB = 1,
    OPTIMAL_MINI_JOB = 1,
  } },
  PREEMPT_JOBTYPE = { "preempt_jobtype", words_of { EXCLUSIVE = 1, BACKFILL = 1, AFFINITY = 1 } },
  HIST_HOURS = { "hist_hours", whole },
  MC_RECLAIM_DELAY = { "mc_reclaim_delay", whole },
  PREEMPTABLE_RESOURCES = { "preemptable_resources", lsf.words },
  PREEMPTION_WAIT_TIME = { "preemption_wait_time", wait_time },
  MAX_JOB_PREEMPT_RESET = { "max_job_preempt_reset", yes },
}

return keys
