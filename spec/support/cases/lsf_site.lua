-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A site's LSF files as they look in the wild, for the spec of importing them.

local site = {}

site.queues = [=[
# $Revision: 1.3 $Date: 2024/02/02
# Queues of a site
Begin Queue
QUEUE_NAME   = owners
PRIORITY     = 43          # above normal
PREEMPTION   = PREEMPTIVE[normal+2 short night]
INTERACTIVE  = NO
RUN_WINDOW
FAIRSHARE    = USER_SHARES[[groupA, 10] [default, 1]]
ADMINISTRATORS = root \
                 lsfadmin
HOSTS        = hostA hostB+1 ~hostC nowhere
DESCRIPTION  = For owners of some machines, only users listed in the HOSTS\
section can submit jobs to this queue.
End Queue

Begin Queue
QUEUE_NAME=normal
 PRIORITY =30
NICE=20
QJOB_LIMIT = 60          # job limit of the queue
UJOB_LIMIT = 5
PJOB_LIMIT = 1.5
RUNLIMIT = 4:00/hostA
r1m = 0.7/2.0
#HJOB_LIMIT  = 1
PREEMPTION = PREEMPTABLE[owners]
TERMINATE_WHEN = LOAD PREEMPT WINDOW
End Queue
begin queue
queue_name = short
priority = 35
runlimit = 15
NO_PREEMPT_RUN_TIME = 50%
JOB_CONTROLS = SUSPEND[brequeue $LSB_JOBID]
HOSTS = all ~hostA
end queue
Begin Queue
QUEUE_NAME = night
PRIORITY = -4
HJOB_LIMIT = many
End Queue
Begin Queue
PRIORITY = 5
End Queue
]=]

site.params = "Begin Parameters\r\nDEFAULT_QUEUE = normal  #default job queue name\r\n"
  .. "PREEMPT_FOR = MINI_JOB LEAST_RUN_TIME FOO\r\nMAX_JOB_PREEMPT = 3\r\nHIST_HOURS=2\r\n"
  .. "MC_RECLAIM_DELAY = 5\r\nEnd Parameters\r\n"

site.hosts = [[
Begin Host
HOST_NAME MXJ   JL/U  r1m     DISPATCH_WINDOW  # Keywords
hostA     4     2     3.5/4   ()
hostB     8     -     ()      (5:19:00-1:8:30 20:00-8:30)
hostC     !     ()    ""      ()
default   !     ()    ()      ()
hostD     16    ()    ()      () surplus
End Host

Begin HostGroup
GROUP_NAME   GROUP_MEMBER
groupA       (hostA hostD)
groupB       (groupA ~hostA hostB)
groupC       (elsewhere)
End HostGroup
]]

site.users = [[
Begin UserGroup
GROUP_NAME   GROUP_MEMBER          USER_SHARES
grpA         (user1 user2 user3)   ([user1, 4] [others, 10])
lab          (all)
End UserGroup
Begin User
USER_NAME    MAX_JOBS  JL/P
user1        4         1
End User
]]

site.resources = [[
stray line
Begin Limit
NAME = develop
USERS = grpA
HOSTS = hostA hostB
SLOTS = 5
MEM = 100
End Limit
Begin Limit
PER_USER       QUEUES   HOSTS   SLOTS   JOBS
(all ~user1)   night    -       20      -
user1          normal   hostA   4       -
-              -        -       20%     -
all            -        -       -       7
End Limit
Begin HostExport
PER_HOST     = hostA hostB
SLOTS        = 2
DISTRIBUTION = ([C1, 1])
TYPE = shared
MEM = 100
End HostExport
Begin HostExport
RES_SELECT = type==LINUX
NHOSTS = 1
DISTRIBUTION = [C1, 30] [C2, 70]
End HostExport
End Nothing
]]

site.applications = [[
Begin Application
NAME = fluent
MAX_JOB_PREEMPT = 1
RUNLIMIT = 8:0
End Application
Begin Application
DESCRIPTION = no name
]]

--- Every line that is not carried over, or not as it stands: line, column, words of its note.
site.notes = {
  queues = {
    { 7, 16, "INTERACTIVE" }, { 8, 1, "no KEY = value" }, { 9, 16, "shares are not" },
    { 10, 18, "ADMINISTRATORS" }, { 12, 16, "'hostB+1'" },
    { 13, 16, "DESCRIPTION" }, { 20, 6, "NICE" }, { 24, 12, "speed" }, { 25, 7, "R1M" },
    { 28, 18, "LOAD, WINDOW" }, { 40, 12, "begin at 0" }, { 41, 14, "no whole number" },
    { 44, 1, "no name" },
  },
  params = { { 2, 17, "DEFAULT_QUEUE" }, { 3, 15, "FOO" } },
  hosts = {
    { 3, 23, "R1M" }, { 4, 31, "DISPATCH_WINDOW" }, { 5, 11, "processors" },
    { 6, 11, "`default`" }, { 7, 34, "'surplus'" },
  },
  users = {
    { 3, 36, "USER_SHARES" }, { 4, 14, "lab is not" },
  },
  resources = {
    { 1, 1, "no section" }, { 7, 7, "MEM" },
    { 13, 33, "20%" }, { 13, 1, "limit13" }, { 21, 7, "MEM" }, { 28, 1, "End Nothing" },
  },
  applications = { { 6, 1, "no end" }, { 7, 1, "no name" }, { 7, 15, "DESCRIPTION" } },
}

return site
