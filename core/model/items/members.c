/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* members.c: tables of the members of what a state lists, and the names of their values. */
#include <allot/members.h>
#include <allot/stated.h>

#include <stddef.h>
#include <string.h>

#include "base/getter.h"

/* The highest priority of a session, and of a task. */
enum { PRIORITY_MAX = 10000 };

/* A row: name, meaning, and the rest. OF: the struct whose members a table describes. */
#define MEMBER(key, meaning, ...)                                                                  \
    {                                                                                              \
        .name = (key), .doc = (meaning), __VA_ARGS__                                               \
    }
#define COUNT(array)         ((int32_t)(sizeof(array) / sizeof *(array)))
#define AT(member)           .at = (uint16_t)offsetof(OF, member)
#define LIST(member, counts) AT(member), .count_at = (uint16_t)offsetof(OF, counts)
#define TYPE(kind)           .type = ALLOT_MEMBER_##kind
#define WHOLE(low, high)     TYPE(WHOLE), .least = (low), .most = (high)
#define AMOUNTS              WHOLE(0, ALLOT_AMOUNT_MAX)
#define AN_AMOUNT            WHOLE(1, ALLOT_AMOUNT_MAX)
#define SECONDS              WHOLE(0, INT64_MAX), .unit = "s"
#define WHEN                 TYPE(TIME), .unit = "time", .least = INT64_MIN, .most = INT64_MAX
#define WORD(of)             TYPE(WORD), .word = (of)
#define MEMBERS(of)          .members = (of), .member_count = COUNT(of)
#define OBJECT(of)           TYPE(OBJECT), MEMBERS(of)
#define FLAGS(of)            .flags = ALLOT_MEMBER_##of
#define REQUIRED             FLAGS(REQUIRED)
#define NULLABLE             FLAGS(NULLABLE)
#define COLUMN               ALLOT_MEMBER_COLUMN
#define NAMED                FLAGS(NULLABLE) | ALLOT_MEMBER_LABEL | COLUMN
#define PASSED(key, kind, low, high)                                                               \
    {                                                                                              \
        .name = (key), TYPE(kind), FLAGS(PASSED), .least = (low), .most = (high)                   \
    }
#define ID(what)                                                                                   \
    MEMBER("id", "names the " what ": 1 ... 255 bytes, unique", AT(id), REQUIRED | COLUMN)
#define LEAF(what)  MEMBER("consumer", what, TYPE(LEAF), AT(consumer), REQUIRED | COLUMN)
#define GROUP(what) MEMBER("group", what, TYPE(GROUP), AT(group), .flags = COLUMN)
#define TAGS(rules)                                                                                \
    MEMBER("tags", "the tags of a policy that it has", TYPE(TEXTS), LIST(tags, tag_count),         \
           .flags = (rules))
#define VALUES                                                                                     \
    MEMBER("", "attributes that the plan's policies declare, each under its own name",             \
           TYPE(VALUES), LIST(values, value_count))

/* ---- Tasks, sessions ------------------------------------------------------------------------- */

#define OF allot_task
static const allot_member own_slots[] = {
    {.name = "", AN_AMOUNT, AT(slots), .flags = COLUMN, .unset = 1}};
static const allot_member task_members[] = {
    ID("task"),
    LEAF("the leaf that it runs for"),
    MEMBER("slots", "slots that it holds or, pending, asks for; of several groups all at once",
           TYPE(SLOTS), LIST(also, also_count), .least = 1, .most = ALLOT_AMOUNT_MAX, .unset = 1,
           MEMBERS(own_slots), .unit = "slots", .rule = "C-13"),
    GROUP("the group of its slots, or of its session, host and slot; of a task with a host of the "
          "plan that host's; without it the first of its slots"),
    MEMBER("state", "pending: it starts with all its slots at once or not at all",
           WORD(allot_task_state_name), AT(state), .flags = COLUMN, .rule = "C-13"),
    MEMBER("priority", "of a leaf's pending tasks those of larger priorities start first",
           WHOLE(1, PRIORITY_MAX), AT(priority), .flags = COLUMN, .unset = 1),
    MEMBER("session", "the session it belongs to", AT(session), NULLABLE | COLUMN),
    MEMBER("host", "where it runs", AT(host), NULLABLE | COLUMN),
    MEMBER("slot", "tasks of a leaf with the same host and slot share that slot, which counts once",
           AT(slot), .flags = ALLOT_MEMBER_NULLABLE | ALLOT_MEMBER_DIGITS | COLUMN,
           .least = INT64_MIN, .most = INT64_MAX),
    MEMBER("started", "when it began; without this it counts as the longest running", WHEN,
           AT(started), NULLABLE | COLUMN),
    MEMBER("submitted", "when it was asked for", WHEN, AT(submitted), NULLABLE | COLUMN),
    MEMBER("preempted", "how many times it was reclaimed before", AMOUNTS, AT(preempted),
           .flags = COLUMN),
    TAGS(0),
    VALUES,
};
#undef OF

#define OF allot_session
static const allot_member session_members[] = {
    ID("session"),
    LEAF("the leaf whose tasks belong to it"),
    GROUP("the group of its slots"),
    MEMBER("priority", "larger priorities are served first", WHOLE(1, PRIORITY_MAX), AT(priority),
           .unset = 1),
    MEMBER("preemption_rank", "sessions of a larger rank give back first", AMOUNTS,
           AT(preemption_rank)),
    MEMBER("created", "when it was opened", WHEN, AT(created), NULLABLE),
    MEMBER("scheduling", "how the leaf's sessions share its slots", WORD(allot_scheduling_name),
           AT(scheduling), .unset = ALLOT_PROPORTIONAL),
    MEMBER("minimum", "slots that it is given before others share", AMOUNTS, AT(minimum),
           .unit = "slots"),
    MEMBER("demand", "slots that it wants; without this as many as its leaf", AMOUNTS, AT(demand),
           NULLABLE, .unset = -1, .unit = "slots"),
};
#undef OF

/* ---- Jobs ------------------------------------------------------------------------------------ */

#define OF allot_job
static const allot_member backfill_members[] = {
    MEMBER("queue", "the queue whose reservation that is", TYPE(QUEUE), AT(reserved_by), NULLABLE,
           .unset = -1),
    MEMBER("until", "when the reservation is due", WHEN, AT(until), NULLABLE, .unset = INT64_MAX),
};
static const allot_member resize_members[] = {
    MEMBER("grow", "additional slots that it wants", AMOUNTS, AT(grow), .flags = COLUMN,
           .unit = "slots"),
    MEMBER("granted", "slots that it was given for that already", TYPE(PLACES),
           LIST(grown, grown_count), .flags = COLUMN, .most = ALLOT_AMOUNT_MAX, .unit = "slots"),
    MEMBER("notifying", "it is just being notified of them", TYPE(FLAG), AT(notifying),
           .flags = COLUMN, .least = 1),
};
static const allot_member job_members[] = {
    MEMBER("id", "names the job: 1 ... 255 bytes, unique", AT(id),
           .flags = ALLOT_MEMBER_REQUIRED | ALLOT_MEMBER_DIGITS | COLUMN, .most = INT64_MAX),
    MEMBER("queue", "its queue", TYPE(QUEUE), AT(queue), REQUIRED | COLUMN),
    MEMBER("state", "stopped: its user suspended it", WORD(allot_job_state_name), AT(state),
           .flags = COLUMN, .unset = ALLOT_PENDING),
    MEMBER("slots", "slots that it holds or, pending, asks for; with hosts their sum", AN_AMOUNT,
           AT(slots), .flags = COLUMN, .unset = 1, .unit = "slots"),
    MEMBER("hosts", "where it has its slots; without this on the only host", TYPE(PLACES),
           LIST(hosts, host_count), .flags = COLUMN),
    MEMBER("submitted", "when it came; without this long ago", WHEN, AT(submitted),
           NULLABLE | COLUMN, .unset = INT64_MIN),
    MEMBER("started", "when it was last started or resumed", WHEN, AT(started), NULLABLE | COLUMN,
           .unset = INT64_MIN),
    MEMBER("ran", "how long it has run in all; without this since it was started", SECONDS, AT(ran),
           NULLABLE | COLUMN, .unset = -1),
    MEMBER("suspended_for", "how long it was suspended in all", SECONDS, AT(suspended_for),
           NULLABLE | COLUMN),
    MEMBER("since", "until when `ran` and `suspended_for` count; without this until now", WHEN,
           AT(since), NULLABLE | COLUMN, .unset = INT64_MIN),
    MEMBER("begin", "pending, it is not started before", WHEN, AT(begin), NULLABLE,
           .unset = INT64_MIN),
    MEMBER("preempted", "how many times it was preempted before", AMOUNTS, AT(preempted),
           .flags = COLUMN),
    MEMBER("priority", "among jobs of its queue larger priorities go first",
           WHOLE(-ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX), AT(priority), .flags = COLUMN),
    MEMBER("user", "the user whose job it is", AT(user), NAMED),
    MEMBER("group", "a group of its user, beside those of the plan", AT(group), NAMED),
    MEMBER("app", "its application", AT(application), NAMED),
    MEMBER("run_limit", "how long it may run; without this as its application or queue says",
           WHOLE(1, ALLOT_AMOUNT_MAX), AT(run_limit), NULLABLE | COLUMN, .unset = -1, .unit = "s"),
    MEMBER("exclusive", "it holds its hosts alone", TYPE(FLAG), AT(flags), .flags = COLUMN,
           .least = ALLOT_JOB_EXCLUSIVE),
    MEMBER("backfill", "it runs on slots that another scheduler reserved", AT(flags),
           .least = ALLOT_JOB_BACKFILL, OBJECT(backfill_members)),
    MEMBER("forced", "it was forced to run", TYPE(FLAG), AT(flags), .flags = COLUMN,
           .least = ALLOT_JOB_FORCED, .rule = "P-8"),
    MEMBER("resize", "it changes its size", NULLABLE | COLUMN, OBJECT(resize_members),
           .rule = "P-50"),
    TAGS(ALLOT_MEMBER_LABEL),
    MEMBER("resources", "what it holds of shared resources or, pending, asks for", TYPE(AMOUNTS),
           LIST(resources, resource_count), NULLABLE),
    VALUES,
};
#undef OF

/* ---- Reclaims, loans, leases ----------------------------------------------------------------- */

#define OF allot_in_flight
static const allot_member reclaim_members[] = {
    MEMBER("id", "names the reclaim: 1 ... 255 bytes", AT(id), NULLABLE),
    LEAF("the leaf that gives back"),
    MEMBER("slots", "slots that the leaf gives back", AMOUNTS, AT(slots), REQUIRED,
           .unset = ALLOT_AMOUNT_MAX, .unit = "slots"),
    GROUP("the group of these slots"),
    MEMBER("tasks", "the tasks that go; once one is gone from the state its slots are back",
           TYPE(TEXTS), LIST(tasks, task_count)),
    MEMBER("gone", "further tasks of the reclaim that ended, whose ids other tasks may have now",
           AMOUNTS, AT(gone)),
    MEMBER("for", "the claimants, with the slots of each", TYPE(CLAIMS), LIST(claims, claim_count)),
    MEMBER("deadline", "when the slots are due; without this never", WHEN, AT(deadline), NULLABLE,
           .unset = INT64_MAX),
    PASSED("grace", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("lost", WHOLE, 0, INT64_MAX),
    PASSED("unknown", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("why", OBJECT, 0, 0),
};
#undef OF

#define OF allot_loan
static const allot_member loan_members[] = {
    MEMBER("lender", "the leaf that owns the slots", TYPE(LEAF), AT(lender), REQUIRED),
    MEMBER("borrower", "the leaf that uses them", TYPE(LEAF), AT(borrower), REQUIRED),
    MEMBER("slots", "how many", AMOUNTS, AT(slots), REQUIRED, .unit = "slots"),
    GROUP("the group of these slots"),
    PASSED("before", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("why", OBJECT, 0, 0),
};
#undef OF

#define OF allot_lease_now
#define SIDE(side)                                                                                 \
    MEMBER("available", "slots that it may use", AMOUNTS, AT(side.available), REQUIRED,            \
           .unit = "slots"),                                                                       \
        MEMBER("used", "slots that it uses", AMOUNTS, AT(side.used), .unit = "slots"),             \
        MEMBER("demand", "slots that its pending work asks for; without this unknown", AMOUNTS,    \
               AT(side.demand), NULLABLE, .unset = -1, .unit = "slots"),                           \
        PASSED("idle", WHOLE, 0, ALLOT_AMOUNT_MAX)
static const allot_member provider_members[] = {SIDE(provider)};
static const allot_member consumer_members[] = {SIDE(consumer)};
static const allot_member lease_members[] = {
    MEMBER("provider", "the side that lends", REQUIRED, OBJECT(provider_members)),
    MEMBER("consumer", "the side that borrows", REQUIRED, OBJECT(consumer_members)),
    MEMBER("phase", "conn: offered, and not used yet; inactive: it was changed",
           WORD(allot_lease_phase_name), AT(phase), .unset = ALLOT_LEASE_OK, .rule = "L-5"),
    MEMBER("since", "when it was made or changed last", WHEN, AT(since), REQUIRED),
    PASSED("size", WHOLE, 0, ALLOT_AMOUNT_MAX),
    PASSED("moved", WHOLE, 0, ALLOT_AMOUNT_MAX),
    {.name = "to", .flags = ALLOT_MEMBER_PASSED | ALLOT_MEMBER_NULLABLE},
    PASSED("hosts", OBJECT, 0, 0),
    PASSED("why", OBJECT, 0, 0),
};
#undef OF

#define OF allot_stated_host
static const allot_member host_members[] = {
    MEMBER("name", "names the host: in documents the key of its object", AT(name),
           .flags = ALLOT_MEMBER_KEY),
    MEMBER("slots", "slots that it has; without this those of the plan", AMOUNTS, AT(slots),
           .unset = -1, .unit = "slots"),
    MEMBER("closed", "drain: nothing new runs there; reclaim: and what runs there goes (E-34)",
           WORD(allot_closed_name), AT(closed), .flags = ALLOT_MEMBER_FALSE, .unset = ALLOT_OPEN),
    MEMBER("load", "its load, for rankings of hosts; without this unknown", TYPE(THOUSANDTHS),
           AT(load), NULLABLE, .most = ALLOT_AMOUNT_MAX, .unset = -1),
    MEMBER("exclusive_to", "the consumer that has the host for itself", TYPE(CONSUMER),
           AT(exclusive_to), NULLABLE, .rule = "H-14"),
};
#undef OF

#define USE_AT(what)                                                                               \
    MEMBER("usage", "slot-seconds that it had used at `usage_at`, decayed (C-14)",                 \
           WHOLE(0, (int64_t)1 << 62), AT(usage), .unit = "slot-seconds"),                         \
        MEMBER("usage_rest", "millionths of a slot-second beyond these", WHOLE(0, 999999),         \
               AT(usage_rest)),                                                                    \
        MEMBER("usage_at",                                                                         \
               "the time of its `usage`, `now` or before; since then " what " now; without this "  \
               "the state's `usage_at`",                                                           \
               WHEN, AT(usage_at), .unset = INT64_MIN)

#define OF allot_stated_leaf
static const allot_member row_members[] = {
    MEMBER("demand", "slots that it wants; without this those of its tasks (C-13)", AMOUNTS,
           AT(demand), .unset = -1, .unit = "slots"),
    MEMBER("allocated", "slots that it has; without this those of its running tasks", AMOUNTS,
           AT(allocated), .unset = -1, .unit = "slots"),
    MEMBER("unlisted",
           "of the slots that none of its tasks uses so many run work that the state does not "
           "list, and are given back last, the others first; true: all (C-8)",
           AMOUNTS, AT(unlisted), .flags = ALLOT_MEMBER_ALL, .unit = "slots"),
    MEMBER("reclaimed_at", "when slots were reclaimed from it last, for `reclaim_interval`", WHEN,
           AT(reclaimed_at), .unset = INT64_MIN),
    MEMBER("waiting_since", "since when it has waited for slots, for `claim_delay`", WHEN,
           AT(waiting_since), .unset = INT64_MIN),
    USE_AT("it has held what it has"),
};
#undef OF

#define OF allot_stated_user
static const allot_member user_members[] = {
    MEMBER("name", "names the user: in documents the key of its object", AT(name),
           .flags = ALLOT_MEMBER_KEY | ALLOT_MEMBER_LABEL),
    USE_AT("its jobs have run that run"),
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
    ITEM(USER, "user", "users", allot_stated_user, user_members),
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

ALLOT__WORDS(allot_task_state_name, "running", "pending")
ALLOT__WORDS(allot_job_state_name, "pending", "running", "suspended", "stopped")
ALLOT__WORDS(allot_lease_phase_name, "conn", "ok", "inactive")
ALLOT__WORDS(allot_closed_name, "false", "drain", "reclaim")
