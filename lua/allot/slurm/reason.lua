-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a job waits, in Slurm's words, and whether more slots would start it: only then it wants
--- slots. The words are those of Slurm 22.05 (job_reason_string).

local reason = {}

local function set(text)
  local words = {}
  for word in text:gmatch "%S+" do words[word] = true end
  return words
end

-- More slots start it.
local SLOTS = set [[None WaitingForScheduling Resources Priority SchedDefer Cleaning Prolog]]
-- Held: more slots start it where the bridge holds jobs and releases them.
local HELD = set [[JobHeldUser JobHeldAdmin]]
-- More slots do not start it.
local OTHER = set [[
  Dependency DependencyNeverSatisfied Licenses Reservation ReservationDeleted JobHoldMaxRequeue
  PartitionNodeLimit PartitionTimeLimit PartitionDown PartitionInactive PartitionConfig
  FrontEndDown NodeDown BadConstraints SystemFailure JobLaunchFailure NonZeroExitCode TimeLimit
  InactiveLimit InvalidAccount InvalidQOS AccountNotAllowed AccountingPolicy FedJobLock Federation
  OutOfMemory DeadLine BurstBufferResources BurstBufferStageIn BurstBufferOperation MaxMemPerLimit
  AssociationJobLimit AssociationResourceLimit AssociationTimeLimit]]
-- Limits, more than a hundred words: of associations, of QOS, and those a QOS has for an account.
local LIMITS = { "^AssocGrp", "^AssocMax", "^QOS", "^Max%a+PerAccount$" }
-- The limits that ceilings are, by the TRES that they count.
local CEILINGS = { cpu = "AssocGrpCpuLimit", mem = "AssocGrpMemLimit", node = "AssocGrpNodeLimit",
  billing = "AssocGrpBilling", gres = "AssocGrpGRES", license = "AssocGrpLicense",
  bb = "AssocGrpBB", energy = "AssocGrpEnergy" }

--- The words that the bridge's own ceilings of these groups give, as a set.
function reason.ceilings(groups)
  local words = {}
  for _, group in ipairs(groups) do
    words[CEILINGS[group.tres:match "^[^/]*"] or "AssocGrpUnknown"] = true
  end
  return words
end

function reason.is_hold(word) return HELD[word] == true end

--- Whether more slots would start a waiting job; the second result is true for a word that this
-- table does not have: such a job wants none. `ceilings` as above; `hold`: the bridge releases
-- jobs.
--
-- A job that was requeued waits for a time, but a short one, and its leaf wants it as before: a
-- demand that falls with each victim and comes back would make victims of others in turn.
function reason.wants(job, ceilings, hold)
  local word = job.reason
  if SLOTS[word] or ceilings[word] then return true end
  if HELD[word] then return hold end
  if word == "BeginTime" then return job.restarts > 0 end
  if word:find "^ReqNodeNotAvail" or word:find "^Nodes required" then
    return not job.wants_nodes -- said after slurmctld began, until it looks at the job again
  end
  if word == "JobArrayTaskLimit" then return job.waiting and job.waiting.throttle ~= nil end
  if OTHER[word] then return false end
  for _, pattern in ipairs(LIMITS) do
    if word:find(pattern) then return false end
  end
  return false, true
end

return reason
