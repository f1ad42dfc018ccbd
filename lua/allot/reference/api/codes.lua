-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The codes of diagnostics: what each is about, and what to do. `allot help CODE` shows it.

return {
  -- Documents as texts.
  { "E-syntax", "The document is not JSON there. Plans may have comments and a comma behind the "
    .. "last member; nothing else may." },
  { "E-utf8", "Documents are UTF-8; the byte named is no part of it." },
  { "E-depth", "Lists and objects nest deeper than is read." },
  { "E-size", "The document is larger than is read." },
  { "E-duplicate-key", "An object has a key twice. Take one out: which one is meant is not "
    .. "guessed." },
  { "E-unknown-key", "No such key is known there; the hint names the nearest. Attributes and "
    .. "options are known where the policy declares them." },
  { "E-missing", "A key that has to be there is not." },
  { "E-type", "A value is of another type than its key takes." },
  { "E-range", "A value, or what a policy's function returned, is outside of what is allowed." },
  { "E-name", "A name is malformed, too long or empty." },
  { "E-conflict", "Two keys say the same in different ways, or one needs another that is not "
    .. "there." },
  { "E-unsupported", "It may be meant well, but plans do not say that in this version." },
  { "E-duplicate", "An item comes twice in a list." },
  { "E-duplicate-id", "Two tasks, jobs, sessions, reclaims or contracts have the same id." },
  { "E-duplicate-path", "Two siblings, or two queues, have the same name." },
  -- What is named and is not there.
  { "E-unknown-path", "No consumer of the plan has that path." },
  { "E-unknown-group", "The plan has no resource group of that name." },
  { "E-unknown-host", "The plan has no such host, and the state does not say its slots." },
  { "E-unknown-queue", "The plan has no such queue." },
  { "E-unknown-resource", "`resources` of the plan does not have it." },
  { "E-unknown-lease", "The plan has no such contract." },
  { "E-unknown-consumer", "The plan has no such consumer: nothing can be explained of it." },
  { "E-unknown-task", "The state has no such task: nothing can be explained of it." },
  { "E-unknown-job", "The state has no such job: nothing can be explained of it." },
  { "E-unknown-policy", "It is no ready-made policy. One of your own is a path that ends in "
    .. ".lua." },
  -- Consumers.
  { "E-not-leaf", "Only consumers without children hold slots, demand them and run tasks." },
  { "E-unbalanced", "Children own more than their parent. Let the parent's `owned` out: it is "
    .. "then their sum." },
  { "E-reserve", "More is reserved than is owned, or than the policy allows there." },
  { "E-limit", "A limit is below what is reserved within it." },
  { "E-slots", "Slots do not add up, are more than 1000000000, or nobody says how many there "
    .. "are." },
  { "E-loan", "A loan's sides do not fit: who lends, to whom, and who has children." },
  { "E-requires", "The policy has no requirement of that name; `requirements` of the policy are." },
  { "E-exclusive", "Exclusive hosts do not go together with policies that keep books of loans." },
  { "E-windows", "Windows are too many, or overlap in more ways than are checked." },
  { "E-timezone", "The system has no zone data of that name, or none at all (package tzdata)." },
  -- States.
  { "E-allocated", "A leaf holds less than its tasks do." },
  { "E-claims", "More is promised to claimants than is given back." },
  { "E-reclaim-task", "A reclaim names a task that cannot be part of it." },
  { "E-session", "A task is in a session of another consumer." },
  { "E-scheduling", "Sessions of one consumer are scheduled in different ways." },
  { "E-group", "A task's group is not its host's." },
  { "E-demand", "The jobs of a queue want more slots than can be counted." },
  { "E-resize", "A job that is not running is to be resized." },
  -- Queues and contracts.
  { "E-queues", "A plan has queues, or consumers: put the others into a plan of their own." },
  { "E-queue", "There is no such queue, or a list names none." },
  { "E-host", "There is no such host or group of hosts, or a list names none." },
  { "E-hosts", "The hosts of a job do not say where its slots are." },
  { "E-pool", "Queues of a pool have a share each, the same hosts, and preempt nobody." },
  { "E-backfill", "Interruptible backfill needs backfill and a run limit." },
  { "E-cycle", "Queues preempt each other in a circle, or groups are inside of each other." },
  { "E-lease", "Contracts lend the same slots twice, or to nobody." },
  -- Policies.
  { "E-policy", "The policy, or what the plan makes of it, is not valid: the message says which "
    .. "line and what is allowed there. `allot help policy` lists what a policy may say." },
  { "E-policy-syntax", "The policy is no Lua 5.4." },
  { "E-policy-run", "A function of the policy failed: it raised an error, or returned what is no "
    .. "whole number. Nothing was decided." },
  { "E-policy-budget", "The policy ran longer than it may: a loop that does not end, or far too "
    .. "much work for each row." },
  { "E-cycle-limit", "The functions of all policies together took more of a cycle than they may "
    .. "(`allot serve --cycle-limit`); the message names the one that took most." },
  { "E-policy-memory", "The policy used more memory than it may." },
  -- Logs, and playing them.
  { "E-swf", "A line of a log is not the Standard Workload Format: 18 numbers, -1 where a value is "
    .. "not known." },
  { "E-event", "A line of an event log is not what its event says: the message tells which key, "
    .. "and what is allowed." },
  { "E-trace", "The file is no log: it has bytes in it that no text has." },
  { "E-trace-line", "A line of a log is far too long for one." },
  { "E-gzip", "A compressed log is damaged, or ends too early: fetch it again." },
  { "E-map", "A job of a log finds no consumer or queue, or the function of --map failed on it. "
    .. "Write one: it gets a job, and returns whose it is." },
  { "E-simulate", "The plan cannot be simulated, or not with that log: a job that runs in parts "
    .. "is as many tasks as slots, and a cycle is told of a million at most." },
  -- The command.
  { "E-usage", "The words on the command line do not fit; `allot help VERB` tells." },
  { "E-at", "No window of the plan begins or ends after that time." },
  { "E-exists", "The file is there already; nothing is written over." },
  { "E-io", "A file cannot be read or written." },
  { "E-outside", "A client names a file that it may not: policies (.lua) and plans (.json) beneath "
    .. "the folder of the service's plan, without `..`, without links that lead out, and what the "
    .. "plan that decides names already." },
  { "E-plot", "Pictures are drawn by gnuplot: it is not there (package gnuplot-nox), or failed." },
  { "E-nothing", "Nothing was checked: a mistyped pattern would else look like success." },
  { "E-not-a-plan", "The document is something else than was asked for." },
  -- Warnings: nothing is refused.
  { "W-order", "Records of a log are not in the order of time; they were put into it." },
  { "W-refused", "Jobs of a log could never run under the plan: the message tells of the first." },
  { "W-unfinished", "Jobs waited or ran when the simulation was over." },
  { "W-unsettled", "Cycles at one instant went on taking and giving: such a policy would do so for "
    .. "ever." },
  { "W-switches", "Windows switch more often than a picture has lines for: it has the first." },
  { "W-interrupted", "The simulation was interrupted; what is told is what it came to so far." },
  { "W-group", "A group of users has nobody in it." },
  { "W-requires", "No open host meets a requirement: who requires it gets nothing." },
  { "W-exclusive", "Others run on an exclusive host: its free slots go to nobody." },
  { "W-hosts", "Where slots are held is not told, so that nothing is known of their hosts." },
  { "W-balance", "The first level owns less than is planned, beside branches whose ownership "
    .. "scales." },
  { "W-overowned", "The first level owns more than is planned." },
  { "W-owned", "The policy does not go by what is owned." },
  { "W-loan", "Loans are stated of who can neither lend nor borrow." },
  { "W-in-flight", "More is being given back than is held." },
  { "W-leeway", "A reclaim is overdue: its tasks are killed, or the host is asked to." },
  { "W-session", "A task's session is not told of: its priority is 1 and its rank 0." },
  { "W-pool", "A word about a pool has no effect there." },
  { "W-preemption", "A relation between queues has no effect, since their priorities are "
    .. "otherwise." },
  { "W-slots", "The plan or state says one size, and jobs go by another: their hosts'." },
  { "W-lease", "A contract lends nothing." },
  { "W-event", "An event of LSF has no counterpart here." },
  { "W-unused", "A key of LSF has no effect here." },
  { "W-params", "A parameter of LSF has no effect here." },
  -- What `allot check` finds out by trying.
  { "E-invariant", "The core did not keep what it keeps whatever a policy says. Please report it: "
    .. "the case that was written shows it." },
  { "E-same-answer", "The same plan and state gave two answers: a function of the policy "
    .. "remembers something between calls." },
  { "E-rest", "Slots or jobs go to and fro though nobody wants anything else: quotas go by who "
    .. "holds what, or two queues preempt each other." },
  { "E-property", "A property that the policy promises does not hold of the case that was "
    .. "written." },
  { "W-budget", "A policy takes more than half of the instructions or memory that it may." },
  { "W-unreachable", "A consumer of the plan gets no slot at any hour, though it alone asks." },
  { "W-fill", "A fill of a policy never gives a slot: its proportion is 0, or one before it fills "
    .. "whatever is needed." },
  { "W-unread", "A policy declares an attribute that nothing in it reads; or one that stands in "
    .. "for the plan's own does not read what that declares." },
  { "W-no-effect", "What a plan says there changes nothing." },
  { "W-import", "A line of an LSF file cannot be said in a plan." },
  { "E-import", "Without that part of an LSF file a plan would mean something else: a queue whose "
    .. "hosts are not known would have others, or all." },

  -- The running service (allot serve).
  { "E-time", "An event tells of a time before 1970, or more than a minute later than the "
    .. "service's clock. Set the clock of whoever sent it: one that runs ahead must not move the "
    .. "others'." },
  { "E-key", "An event came with the `key` of another one of the last hour, and says something "
    .. "else: it was not entered. The same event with the same key is, once." },
  { "E-store", "The file that events are kept in cannot be opened, read or written, is in use by "
    .. "whatever name, is damaged, of a later version, or a database of something else. Nothing is "
    .. "acknowledged that is not in it." },
  { "W-store", "The plan was changed while nothing ran: what the store says of consumers that are "
    .. "gone is left out. Or an earlier version took an event that no cycle can decide with: it is "
    .. "left out, and so is what only fits behind it. Or there is no room to write an old store "
    .. "anew, so that its file does not get smaller." },
  { "E-connection", "Nobody answers where the service should listen, or the answer is none." },
  { "E-service", "The service refused what it was asked; its own code and hint stand beside." },
  { "W-files", "So many connections need more open files than the system allows: there may be "
    .. "fewer of them." },
  { "E-replay", "A record does not go with the plan or the events that are in it." },
  { "E-listen", "A socket or an address cannot be listened on." },
  { "E-token", "A token has 16 to 1024 bytes, in the first line of its file." },
  { "E-reload", "A service that is measured did not take an edit of its own plan." },
  { "E-slow", "What is to be reloaded takes far longer for a recorded cycle than what decides now "
    .. "did. It was refused." },
  { "E-no-shadow", "There is no shadow to drop or promote; the method `shadow` begins one." },
  { "E-stopping", "The service is about to stop and takes no more events." },
  { "E-job-state", "An event does not go with the state that the job is in." },
  { "E-unknown-method", "The service has no such call or event; the hint names the nearest." },
  { "E-unknown-session", "There is no such session." },
  { "E-unknown-reclaim", "No reclaim of that name is in flight; it may have come back already." },

  -- Pieces of input to a session (allot repl).
  { "E-desk", "What was put on the desk is no plan or state, or a word of the desk cannot do that "
    .. "now. Nothing was changed." },
  { "E-repl", "The piece of Lua raised an error, or a command failed. Nothing was changed." },
  { "E-repl-syntax", "The piece is no Lua, or ends too soon." },
  { "E-repl-limit", "The session is out of the memory that it may use, or calls nest too deep." },
  { "E-interrupted", "Ctrl-C stopped what ran. Nothing was changed." },
}
