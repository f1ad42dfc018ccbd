/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* members.c: tables of the members of what a state lists, and the names of their values. */
#include <allot/members.h>
#include <allot/stated.h>

#include <stddef.h>
#include <string.h>

/* The highest priority of a session, and of a task. */
enum { PRIORITY_MAX = 10000 };

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))
#define AT(member)   .at = (uint16_t)offsetof(OF, member)
#define LIST(member, counts)                                                                       \
    .at = (uint16_t)offsetof(OF, member), .count_at = (uint16_t)offsetof(OF, counts)
#define AMOUNTS   .type = ALLOT_MEMBER_WHOLE, .least = 0, .most = ALLOT_AMOUNT_MAX
#define AN_AMOUNT .type = ALLOT_MEMBER_WHOLE, .least = 1, .most = ALLOT_AMOUNT_MAX
#define SECONDS   .type = ALLOT_MEMBER_WHOLE, .least = 0, .most = INT64_MAX, .unit = "s"
#define WHEN      .type = ALLOT_MEMBER_TIME, .unit = "time", .least = INT64_MIN, .most = INT64_MAX
#define REQUIRED  .flags = ALLOT_MEMBER_REQUIRED
#define NULLABLE  .flags = ALLOT_MEMBER_NULLABLE
#define NAMED     .flags = ALLOT_MEMBER_NULLABLE | ALLOT_MEMBER_LABEL
#define PASSED(key, kind, low, high)                                                               \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_##kind, .flags = ALLOT_MEMBER_PASSED, .least = low,      \
        .most = high                                                                               \
    }
#define ID(what)                                                                                   \
    {                                                                                              \
        .name = "id", AT(id), REQUIRED, .doc = "names the " what ": 1 ... 255 bytes, unique"       \
    }
#define LEAF(what)                                                                                 \
    {                                                                                              \
        .name = "consumer", .type = ALLOT_MEMBER_LEAF, AT(consumer), REQUIRED, .doc = what         \
    }
#define GROUP(what)                                                                                \
    {                                                                                              \
        .name = "group", .type = ALLOT_MEMBER_GROUP, AT(group), .doc = what                        \
    }
#define TAGS(rules)                                                                                \
    {                                                                                              \
        .name = "tags", .type = ALLOT_MEMBER_TEXTS, LIST(tags, tag_count), .flags = rules,         \
        .doc = "the tags of a policy that it has"                                                  \
    }
#define VALUES                                                                                     \
    {                                                                                              \
        .name = "", .type = ALLOT_MEMBER_VALUES, LIST(values, value_count),                        \
        .doc = "attributes that the plan's policies declare, each under its own name"              \
    }

/* ---- Tasks, sessions ------------------------------------------------------------------------- */

#define OF allot_task
static const allot_member own_slots[] = {{.name = "", AN_AMOUNT, AT(slots), .unset = 1}};
static const allot_member task_members[] = {
    ID("task"),
    LEAF("the leaf that it runs for"),
    {.name = "slots",
     .type = ALLOT_MEMBER_SLOTS,
     LIST(also, also_count),
     .least = 1,
     .most = ALLOT_AMOUNT_MAX,
     .unset = 1,
     .members = own_slots,
     .member_count = COUNT(own_slots),
     .unit = "slots",
     .doc = "slots that it holds or, pending, asks for; of several groups all at once",
     .rule = "C-13"},
    GROUP("the group of its slots, or of its session, host and slot; of a task with a host of the "
          "plan that host's; without it the first of its slots"),
    {.name = "state",
     .type = ALLOT_MEMBER_WORD,
     AT(state),
     .word = allot_task_state_name,
     .doc = "pending: it starts with all its slots at once or not at all",
     .rule = "C-13"},
    {.name = "priority",
     .type = ALLOT_MEMBER_WHOLE,
     AT(priority),
     .least = 1,
     .most = PRIORITY_MAX,
     .unset = 1,
     .doc = "of a leaf's pending tasks those of larger priorities start first"},
    {.name = "session", AT(session), NULLABLE, .doc = "the session it belongs to"},
    {.name = "host", AT(host), NULLABLE, .doc = "where it runs"},
    {.name = "slot",
     AT(slot),
     .flags = ALLOT_MEMBER_NULLABLE | ALLOT_MEMBER_DIGITS,
     .least = INT64_MIN,
     .most = INT64_MAX,
     .doc = "tasks of a leaf with the same host and slot share that slot, which counts once"},
    {.name = "started",
     WHEN,
     AT(started),
     NULLABLE,
     .doc = "when it began; without this it counts as the longest running"},
    {.name = "submitted", WHEN, AT(submitted), NULLABLE, .doc = "when it was asked for"},
    {.name = "preempted", AMOUNTS, AT(preempted), .doc = "how many times it was reclaimed before"},
    TAGS(0),
    VALUES,
};
#undef OF

#define OF allot_session
static const allot_member session_members[] = {
    ID("session"),
    LEAF("the leaf whose tasks belong to it"),
    GROUP("the group of its slots"),
    {.name = "priority",
     .type = ALLOT_MEMBER_WHOLE,
     AT(priority),
     .least = 1,
     .most = PRIORITY_MAX,
     .unset = 1,
     .doc = "larger priorities are served first"},
    {.name = "preemption_rank",
     AMOUNTS,
     AT(preemption_rank),
     .doc = "sessions of a larger rank give back first"},
    {.name = "created", WHEN, AT(created), NULLABLE, .doc = "when it was opened"},
    {.name = "scheduling",
     .type = ALLOT_MEMBER_WORD,
     AT(scheduling),
     .unset = ALLOT_PROPORTIONAL,
     .word = allot_scheduling_name,
     .doc = "how the leaf's sessions share its slots"},
    {.name = "minimum",
     AMOUNTS,
     AT(minimum),
     .unit = "slots",
     .doc = "slots that it is given before others share"},
    {.name = "demand",
     AMOUNTS,
     AT(demand),
     NULLABLE,
     .unset = -1,
     .unit = "slots",
     .doc = "slots that it wants; without this as many as its leaf"},
};
#undef OF

/* ---- Jobs ------------------------------------------------------------------------------------ */

#define OF allot_job
static const allot_member backfill_members[] = {
    {.name = "queue",
     .type = ALLOT_MEMBER_QUEUE,
     AT(reserved_by),
     NULLABLE,
     .unset = -1,
     .doc = "the queue whose reservation that is"},
    {.name = "until",
     WHEN,
     AT(until),
     NULLABLE,
     .unset = INT64_MAX,
     .doc = "when the reservation is due"},
};
static const allot_member resize_members[] = {
    {.name = "grow", AMOUNTS, AT(grow), .unit = "slots", .doc = "additional slots that it wants"},
    {.name = "granted",
     .type = ALLOT_MEMBER_PLACES,
     LIST(grown, grown_count),
     .most = ALLOT_AMOUNT_MAX,
     .unit = "slots",
     .doc = "slots that it was given for that already"},
    {.name = "notifying",
     .type = ALLOT_MEMBER_FLAG,
     AT(notifying),
     .least = 1,
     .doc = "it is just being notified of them"},
};
static const allot_member job_members[] = {
    {.name = "id",
     AT(id),
     .flags = ALLOT_MEMBER_REQUIRED | ALLOT_MEMBER_DIGITS,
     .most = INT64_MAX,
     .doc = "names the job: 1 ... 255 bytes, unique"},
    {.name = "queue", .type = ALLOT_MEMBER_QUEUE, AT(queue), REQUIRED, .doc = "its queue"},
    {.name = "state",
     .type = ALLOT_MEMBER_WORD,
     AT(state),
     .unset = ALLOT_PENDING,
     .word = allot_job_state_name,
     .doc = "stopped: its user suspended it"},
    {.name = "slots",
     AN_AMOUNT,
     AT(slots),
     .unset = 1,
     .unit = "slots",
     .doc = "slots that it holds or, pending, asks for; with hosts their sum"},
    {.name = "hosts",
     .type = ALLOT_MEMBER_PLACES,
     LIST(hosts, host_count),
     .doc = "where it has its slots; without this on the only host"},
    {.name = "submitted",
     WHEN,
     AT(submitted),
     NULLABLE,
     .unset = INT64_MIN,
     .doc = "when it came; without this long ago"},
    {.name = "started",
     WHEN,
     AT(started),
     NULLABLE,
     .unset = INT64_MIN,
     .doc = "when it was last started or resumed"},
    {.name = "ran",
     SECONDS,
     AT(ran),
     NULLABLE,
     .unset = -1,
     .doc = "how long it has run in all; without this since it was started"},
    {.name = "suspended_for",
     SECONDS,
     AT(suspended_for),
     NULLABLE,
     .doc = "how long it was suspended in all"},
    {.name = "since",
     WHEN,
     AT(since),
     NULLABLE,
     .unset = INT64_MIN,
     .doc = "until when `ran` and `suspended_for` count; without this until now"},
    {.name = "begin",
     WHEN,
     AT(begin),
     NULLABLE,
     .unset = INT64_MIN,
     .doc = "pending, it is not started before"},
    {.name = "preempted", AMOUNTS, AT(preempted), .doc = "how many times it was preempted before"},
    {.name = "priority",
     .type = ALLOT_MEMBER_WHOLE,
     AT(priority),
     .least = -ALLOT_AMOUNT_MAX,
     .most = ALLOT_AMOUNT_MAX,
     .doc = "among jobs of its queue larger priorities go first"},
    {.name = "user", AT(user), NAMED, .doc = "the user whose job it is"},
    {.name = "group", AT(group), NAMED, .doc = "a group of its user, beside those of the plan"},
    {.name = "app", AT(application), NAMED, .doc = "its application"},
    {.name = "run_limit",
     .type = ALLOT_MEMBER_WHOLE,
     AT(run_limit),
     NULLABLE,
     .least = 1,
     .most = ALLOT_AMOUNT_MAX,
     .unset = -1,
     .unit = "s",
     .doc = "how long it may run; without this as its application or queue says"},
    {.name = "exclusive",
     .type = ALLOT_MEMBER_FLAG,
     AT(flags),
     .least = ALLOT_JOB_EXCLUSIVE,
     .doc = "it holds its hosts alone"},
    {.name = "backfill",
     .type = ALLOT_MEMBER_OBJECT,
     AT(flags),
     .least = ALLOT_JOB_BACKFILL,
     .members = backfill_members,
     .member_count = COUNT(backfill_members),
     .doc = "it runs on slots that are reserved"},
    {.name = "forced",
     .type = ALLOT_MEMBER_FLAG,
     AT(flags),
     .least = ALLOT_JOB_FORCED,
     .doc = "it was forced to run",
     .rule = "P-8"},
    {.name = "resize",
     .type = ALLOT_MEMBER_OBJECT,
     NULLABLE,
     .members = resize_members,
     .member_count = COUNT(resize_members),
     .doc = "it changes its size",
     .rule = "P-50"},
    TAGS(ALLOT_MEMBER_LABEL),
    {.name = "resources",
     .type = ALLOT_MEMBER_AMOUNTS,
     LIST(resources, resource_count),
     NULLABLE,
     .doc = "what it holds of shared resources or, pending, asks for"},
    VALUES,
};
#undef OF

/* ---- Reclaims, loans, leases ----------------------------------------------------------------- */

#define OF allot_in_flight
static const allot_member reclaim_members[] = {
    {.name = "id", AT(id), NULLABLE, .doc = "names the reclaim: 1 ... 255 bytes"},
    LEAF("the leaf that gives back"),
    {.name = "slots",
     AMOUNTS,
     AT(slots),
     REQUIRED,
     .unset = ALLOT_AMOUNT_MAX,
     .unit = "slots",
     .doc = "slots that the leaf gives back"},
    GROUP("the group of these slots"),
    {.name = "tasks",
     .type = ALLOT_MEMBER_TEXTS,
     LIST(tasks, task_count),
     .doc = "the tasks that go; once one is gone from the state its slots are back"},
    {.name = "gone",
     AMOUNTS,
     AT(gone),
     .doc = "further tasks of the reclaim that ended, whose ids other tasks may have now"},
    {.name = "for",
     .type = ALLOT_MEMBER_CLAIMS,
     LIST(claims, claim_count),
     .doc = "the claimants, with the slots of each"},
    {.name = "deadline",
     WHEN,
     AT(deadline),
     NULLABLE,
     .unset = INT64_MAX,
     .doc = "when the slots are due; without this never"},
    PASSED("grace", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("lost", WHOLE, 0, INT64_MAX),
    PASSED("unknown", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("why", OBJECT, 0, 0),
};
#undef OF

#define OF allot_loan
static const allot_member loan_members[] = {
    {.name = "lender",
     .type = ALLOT_MEMBER_LEAF,
     AT(lender),
     REQUIRED,
     .doc = "the leaf that owns the slots"},
    {.name = "borrower",
     .type = ALLOT_MEMBER_LEAF,
     AT(borrower),
     REQUIRED,
     .doc = "the leaf that uses them"},
    {.name = "slots", AMOUNTS, AT(slots), REQUIRED, .unit = "slots", .doc = "how many"},
    GROUP("the group of these slots"),
    PASSED("before", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("why", OBJECT, 0, 0),
};
#undef OF

#define OF allot_lease_now
#define SIDE(side)                                                                                 \
    {.name = "available",                                                                          \
     AMOUNTS,                                                                                      \
     AT(side.available),                                                                           \
     REQUIRED,                                                                                     \
     .unit = "slots",                                                                              \
     .doc = "slots that it may use"},                                                              \
        {.name = "used", AMOUNTS, AT(side.used), .unit = "slots", .doc = "slots that it uses"},    \
        {.name = "demand",                                                                         \
         AMOUNTS,                                                                                  \
         AT(side.demand),                                                                          \
         NULLABLE,                                                                                 \
         .unset = -1,                                                                              \
         .unit = "slots",                                                                          \
         .doc = "slots that its pending work asks for; without this unknown"},                     \
        PASSED("idle", WHOLE, 0, ALLOT_AMOUNT_MAX)
static const allot_member provider_members[] = {SIDE(provider)};
static const allot_member consumer_members[] = {SIDE(consumer)};
static const allot_member lease_members[] = {
    {.name = "provider",
     .type = ALLOT_MEMBER_OBJECT,
     REQUIRED,
     .members = provider_members,
     .member_count = COUNT(provider_members),
     .doc = "the side that lends"},
    {.name = "consumer",
     .type = ALLOT_MEMBER_OBJECT,
     REQUIRED,
     .members = consumer_members,
     .member_count = COUNT(consumer_members),
     .doc = "the side that borrows"},
    {.name = "phase",
     .type = ALLOT_MEMBER_WORD,
     AT(phase),
     .unset = ALLOT_LEASE_OK,
     .word = allot_lease_phase_name,
     .doc = "conn: offered, and not used yet; inactive: it was changed",
     .rule = "L-5"},
    {.name = "since", WHEN, AT(since), REQUIRED, .doc = "when it was made or changed last"},
    PASSED("size", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("moved", WHOLE, 0, ALLOT_AMOUNT_MAX),
    {.name = "to", .flags = ALLOT_MEMBER_PASSED | ALLOT_MEMBER_NULLABLE},
    PASSED("hosts", OBJECT, 0, 0),
    PASSED("why", OBJECT, 0, 0),
};
#undef OF

#define OF allot_stated_host
static const allot_member host_members[] = {
    {.name = "name",
     AT(name),
     .flags = ALLOT_MEMBER_KEY,
     .doc = "names the host: in documents the key of its object"},
    {.name = "slots",
     AMOUNTS,
     AT(slots),
     .unset = -1,
     .unit = "slots",
     .doc = "slots that it has; without this those of the plan"},
    {.name = "closed",
     .type = ALLOT_MEMBER_WORD,
     AT(closed),
     .flags = ALLOT_MEMBER_FALSE,
     .unset = ALLOT_OPEN,
     .word = allot_closed_name,
     .doc = "drain: nothing new runs there; reclaim: and what runs there goes (E-34)"},
    {.name = "load",
     .type = ALLOT_MEMBER_THOUSANDTHS,
     AT(load),
     NULLABLE,
     .most = ALLOT_AMOUNT_MAX,
     .unset = -1,
     .doc = "its load, for rankings of hosts; without this unknown"},
    {.name = "exclusive_to",
     .type = ALLOT_MEMBER_CONSUMER,
     AT(exclusive_to),
     NULLABLE,
     .doc = "the consumer that has the host for itself",
     .rule = "H-14"},
};
#undef OF

#define OF allot_stated_leaf
static const allot_member row_members[] = {
    {.name = "demand",
     AMOUNTS,
     AT(demand),
     .unset = -1,
     .unit = "slots",
     .doc = "slots that it wants; without this those of its tasks (C-13)"},
    {.name = "allocated",
     AMOUNTS,
     AT(allocated),
     .unset = -1,
     .unit = "slots",
     .doc = "slots that it has; without this those of its running tasks"},
    {.name = "unlisted",
     AMOUNTS,
     AT(unlisted),
     .flags = ALLOT_MEMBER_ALL,
     .unit = "slots",
     .doc = "of the slots that none of its tasks uses so many run work that the state does not "
            "list, and are given back last, the others first; true: all (C-8)"},
    {.name = "reclaimed_at",
     WHEN,
     AT(reclaimed_at),
     .unset = INT64_MIN,
     .doc = "when slots were reclaimed from it last, for `reclaim_interval`"},
    {.name = "waiting_since",
     WHEN,
     AT(waiting_since),
     .unset = INT64_MIN,
     .doc = "since when it has waited for slots, for `claim_delay`"},
};
#undef OF

/* ---- The tables ------------------------------------------------------------------------------ */

#define ITEM(kind, name, list, type, members)                                                      \
    [ALLOT_ITEM_##kind] = {name, list, sizeof(type), members, COUNT(members)}
static const allot_members tables[ALLOT_ITEMS] = {
    ITEM(TASK, "task", "tasks", allot_task, task_members),
    ITEM(SESSION, "session", "sessions", allot_session, session_members),
    ITEM(JOB, "job", "jobs", allot_job, job_members),
    ITEM(RECLAIM, "reclaim", "reclaims", allot_in_flight, reclaim_members),
    ITEM(LOAN, "loan", "loans", allot_loan, loan_members),
    ITEM(LEASE, "lease", "leases", allot_lease_now, lease_members),
    ITEM(HOST, "host", "hosts", allot_stated_host, host_members),
    ITEM(ROW, "consumer", "consumers", allot_stated_leaf, row_members),
};

const allot_members *allot_members_of(allot_item item)
{
    return (int)item >= 0 && item < ALLOT_ITEMS ? &tables[item] : NULL;
}

const allot_member *allot_member_find(const allot_members *members, const char *name)
{
    for (int32_t i = 0; members && name && i < members->count; i++)
        if (members->items[i].name[0] == name[0] && strcmp(members->items[i].name, name) == 0)
            return &members->items[i];
    return NULL;
}

static void init_members(const allot_member *members, int32_t count, char *item)
{
    for (int32_t i = 0; i < count; i++) {
        const allot_member *member = &members[i];
        int32_t number = (int32_t)member->unset, root = ALLOT_ROOT;
        if (member->flags & ALLOT_MEMBER_PASSED)
            continue;
        if (member->type == ALLOT_MEMBER_WHOLE || member->type == ALLOT_MEMBER_TIME ||
            member->type == ALLOT_MEMBER_THOUSANDTHS)
            memcpy(item + member->at, &member->unset, sizeof member->unset);
        else if (member->type == ALLOT_MEMBER_QUEUE || member->type == ALLOT_MEMBER_WORD)
            memcpy(item + member->at, &number, sizeof number);
        else if (member->type == ALLOT_MEMBER_CONSUMER || member->type == ALLOT_MEMBER_LEAF)
            memcpy(item + member->at, &root, sizeof root);
        init_members(member->members, member->member_count, item);
    }
}

void allot_item_init(const allot_members *members, void *item)
{
    if (!members || !item)
        return;
    memset(item, 0, members->size);
    init_members(members->items, members->count, item);
}

/* ---- Words ----------------------------------------------------------------------------------- */

const char *allot_task_state_name(int state)
{
    static const char *const names[] = {"running", "pending"};
    return state >= 0 && state < 2 ? names[state] : NULL;
}

const char *allot_job_state_name(int state)
{
    static const char *const names[] = {"pending", "running", "suspended", "stopped"};
    return state >= 0 && state < ALLOT_JOB_STATE_COUNT ? names[state] : NULL;
}

const char *allot_lease_phase_name(int phase)
{
    static const char *const names[] = {"conn", "ok", "inactive"};
    return phase >= 0 && phase < ALLOT_LEASE_PHASE_COUNT ? names[phase] : NULL;
}

const char *allot_closed_name(int closed)
{
    static const char *const names[] = {"false", "drain", "reclaim"};
    return closed >= 0 && closed <= ALLOT_CLOSED_NOW ? names[closed] : NULL;
}
