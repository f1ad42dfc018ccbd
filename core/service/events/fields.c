/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fields.c: the table of events: their names and members. */
#include "service/events/fields.h"

#include <string.h>

#define AT(member) (uint16_t) offsetof(allot__event, member)
#define F(name, type, at)                                                                          \
    {                                                                                              \
        name, ALLOT__F_##type, false, false, AT(at), 0, 0, 0                                       \
    }
#define MUST(name, type, at)                                                                       \
    {                                                                                              \
        name, ALLOT__F_##type, true, false, AT(at), 0, 0, 0                                        \
    }
#define WHOLE(name, at, least, most)                                                               \
    {                                                                                              \
        name, ALLOT__F_WHOLE, false, false, AT(at), 0, least, most                                 \
    }
#define AMOUNT(name, at) WHOLE(name, at, 0, ALLOT_AMOUNT_MAX)
#define GIVEN(name, at, given)                                                                     \
    {                                                                                              \
        name, ALLOT__F_WHOLE, false, false, AT(at), AT(given), 0, ALLOT_AMOUNT_MAX                 \
    }
#define MUST_AMOUNT(name, at, least)                                                               \
    {                                                                                              \
        name, ALLOT__F_WHOLE, true, false, AT(at), AT(at##_given), least, ALLOT_AMOUNT_MAX         \
    }
#define ANY(name, at) WHOLE(name, at, INT64_MIN, INT64_MAX)
#define SLOTS(least)                                                                               \
    {                                                                                              \
        "slots", ALLOT__F_WHOLE, false, false, AT(slots), AT(slots_given), least, ALLOT_AMOUNT_MAX \
    }
#define PARTS                                                                                      \
    {                                                                                              \
        "slots", ALLOT__F_PARTS, false, false, AT(slots), AT(slots_given), 1, ALLOT_AMOUNT_MAX     \
    }
#define STATE                                                                                      \
    {                                                                                              \
        "state", ALLOT__F_TASK_STATE, false, false, AT(task_state), AT(state_given), 0, 0          \
    }
#define PRIORITY                                                                                   \
    {                                                                                              \
        "priority", ALLOT__F_WHOLE, false, false, AT(priority), AT(priority_given), 1, 10000       \
    }
#define TIME(name, at)                                                                             \
    {                                                                                              \
        name, ALLOT__F_TIME, false, false, AT(at), AT(at##_given), 0, 0                            \
    }
#define KEPT(name, type, at)                                                                       \
    {                                                                                              \
        name, ALLOT__F_##type, false, true, AT(at), 0, 0, 0                                        \
    }
#define SOURCE KEPT("source", LABEL, source)
#define LEAF   MUST("consumer", LEAF, consumer)
#define GROUP  F("group", GROUP, group)

static const allot__event_field common[] = {TIME("at", at), F("key", NAME, key)};
static const allot__event_field amount[] = {LEAF, GROUP, MUST_AMOUNT("slots", slots, 0), SOURCE};
static const allot__event_field allocated[] = {LEAF, GROUP, MUST_AMOUNT("slots", slots, 0),
                                               AMOUNT("unlisted", unlisted), SOURCE};
static const allot__event_field release[] = {LEAF, GROUP, MUST_AMOUNT("slots", slots, 1)};
#define TOLD                                                                                       \
    {                                                                                              \
        "told", ALLOT__F_BOOL, false, true, AT(told), AT(told_given), 0, 0                         \
    }
static const allot__event_field start[] = {
    MUST("id", ID, id),
    F("consumer", LEAF, consumer),
    GROUP,
    PARTS,
    F("session", TEXT, session),
    F("host", TEXT, host),
    F("slot", ID, slot),
    TIME("started", started),
    TIME("submitted", submitted),
    GIVEN("preempted", preempted, preempted_given),
    {"tags", ALLOT__F_TEXTS, false, false, AT(tags), AT(tags_given), 0, 0},
    STATE,
    PRIORITY,
    {"adopt", ALLOT__F_BOOL, false, false, AT(adopt), AT(adopt_given), 0, 0},
    TOLD,
    SOURCE,
};
static const allot__event_field finish[] = {MUST("id", ID, id), F("keep", BOOL, keep),
                                            F("done", BOOL, done)};
static const allot__event_field task[] = {
    MUST("id", ID, id),
    F("consumer", LEAF, consumer),
    GROUP,
    PARTS,
    F("session", TEXT, session),
    F("host", TEXT, host),
    F("slot", ID, slot),
    TIME("started", started),
    TIME("submitted", submitted),
    GIVEN("preempted", preempted, preempted_given),
    {"tags", ALLOT__F_TEXTS, false, false, AT(tags), AT(tags_given), 0, 0},
    STATE,
    PRIORITY,
    KEPT("adopt", BOOL, adopt),
    KEPT("whole", BOOL, whole),
    TOLD,
    SOURCE,
};
static const allot__event_field told[] = {MUST("id", ID, id), TOLD};
static const allot__event_field decline[] = {
    LEAF,
    GROUP,
    SLOTS(0),
    {"until", ALLOT__F_TIME, true, false, AT(until), 0, 0, 0},
    {"most", ALLOT__F_WHOLE, false, true, AT(demand), 0, 0, ALLOT_AMOUNT_MAX}};
static const allot__event_field session[] = {
    MUST("id", ID, id),
    LEAF,
    GROUP,
    WHOLE("priority", priority, 1, 10000),
    AMOUNT("preemption_rank", preemption_rank),
    F("created", TIME, created),
    F("scheduling", SCHEDULING, scheduling),
    AMOUNT("minimum", minimum),
    AMOUNT("demand", demand),
    SOURCE,
};
static const allot__event_field only_id[] = {MUST("id", ID, id)};
static const allot__event_field host[] = {
    MUST("name", LABEL, id),
    SLOTS(0),
    F("closed", CLOSED, closed),
    F("load", LOAD, load),
    {"exclusive_to", ALLOT__F_CONSUMER, false, false, AT(other), AT(other_given), 0, 0},
    KEPT("whole", BOOL, whole),
    SOURCE,
};
static const allot__event_field only_name[] = {MUST("name", NAME, id)};
static const allot__event_field slots[] = {GROUP, MUST_AMOUNT("slots", slots, 0)};
static const allot__event_field returned[] = {
    MUST("reclaim", NAME, id), MUST_AMOUNT("slots", slots, 1), KEPT("keep", BOOL, keep)};
#define JOB                                                                                        \
    MUST("id", LABEL_ID, id), MUST("queue", QUEUE, queue), SLOTS(1), TIME("submitted", submitted), \
        F("user", LABEL, user), F("group", LABEL, user_group), F("app", LABEL, application),       \
        WHOLE("priority", priority, -ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX),                          \
        WHOLE("run_limit", run_limit, 1, ALLOT_AMOUNT_MAX), F("exclusive", BOOL, exclusive),       \
        F("tags", LABELS, tags), F("resources", NUMBERS, resources)
/* What a job has that does not wait for its first start. */
#define JOB_RAN                                                                                    \
    F("state", JOB_STATE, job_state), F("hosts", NUMBERS, hosts), TIME("started", started),        \
        WHOLE("ran", ran, 0, INT64_MAX), GIVEN("suspended_for", suspended_for, suspended_given),   \
        GIVEN("preempted", preempted, preempted_given), F("forced", BOOL, forced)
static const allot__event_field submit[] = {JOB, JOB_RAN, KEPT("whole", BOOL, whole), SOURCE};
static const allot__event_field run[] = {MUST("id", LABEL_ID, id), F("hosts", NUMBERS, hosts),
                                         TIME("started", started)};
static const allot__event_field fail[] = {MUST("id", ID, id), F("until", TIME, until)};
static const allot__event_field lease[] = {
    MUST("name", LEASE, lease),
    F("provider", NUMBERS, provider),
    F("consumer", NUMBERS, holder),
    {"phase", ALLOT__F_PHASE, false, true, AT(phase), 0, 0, 0},
    {"since", ALLOT__F_TIME, false, true, AT(since), 0, 0, 0},
};
static const allot__event_field clock_[] = {ANY("now", since)};
static const allot__event_field back[] = {ANY("now", since), ANY("by", deadline)};
static const allot__event_field row[] = {
    LEAF,
    GROUP,
    AMOUNT("demand", demand),
    AMOUNT("allocated", allocated),
    AMOUNT("unlisted", unlisted),
    ANY("reclaimed_at", reclaimed_at),
    ANY("waiting_since", waiting_since),
    SOURCE,
};
static const allot__event_field flight[] = {
    MUST("id", NAME, id),     LEAF, GROUP, SLOTS(0), ANY("since", since), ANY("deadline", deadline),
    AMOUNT("gone", preempted)};
static const allot__event_field claim[] = {MUST("id", NAME, id), MUST("for", CONSUMER, other),
                                           SLOTS(1)};
static const allot__event_field victim[] = {MUST("id", NAME, id), MUST("task", NAME, key)};
static const allot__event_field sync[] = {SOURCE, F("brief", BOOL, keep), F("whole", BOOL, whole),
                                          ANY("digest", since)};
static const allot__event_field none[] = {{"now", ALLOT__F_WHOLE, false, true, AT(since), 0, 0, 0}};
static const allot__event_field loan[] = {LEAF, GROUP, MUST("borrower", LEAF, other), SLOTS(1)};
static const allot__event_field job[] = {
    JOB,
    F("state", JOB_STATE, job_state),
    F("hosts", NUMBERS, hosts),
    TIME("started", started),
    ANY("ran", ran),
    AMOUNT("suspended_for", suspended_for),
    AMOUNT("preempted", preempted),
    ANY("since", since),
    F("forced", BOOL, forced),
    AMOUNT("grow", grow),
    F("grown", NUMBERS, grown),
    F("until", TIME, until),
    SOURCE,
};
static const allot__event_field usage[] = {MUST("queue", QUEUE, queue), ANY("usage", ran),
                                           AMOUNT("millionths", preempted)};
static const allot__event_field resource[] = {MUST("name", NAME, id), ANY("preempted_at", since)};

#define LIST(array, attributes)                                                                    \
    {                                                                                              \
        array, (int32_t)(sizeof array / sizeof *array), attributes                                 \
    }
const allot__fields allot__common_fields = LIST(common, false);
const allot__fields allot__event_fields[ALLOT__EVENTS] = {
    [ALLOT__EVENT_DEMAND] = LIST(amount, false),
    [ALLOT__EVENT_RELEASE] = LIST(release, false),
    [ALLOT__EVENT_ALLOCATED] = LIST(allocated, false),
    [ALLOT__EVENT_START] = LIST(start, true),
    [ALLOT__EVENT_FINISH] = LIST(finish, false),
    [ALLOT__EVENT_SESSION] = LIST(session, false),
    [ALLOT__EVENT_SESSION_END] = LIST(only_id, false),
    [ALLOT__EVENT_HOST] = LIST(host, false),
    [ALLOT__EVENT_HOST_GONE] = LIST(only_name, false),
    [ALLOT__EVENT_SLOTS] = LIST(slots, false),
    [ALLOT__EVENT_RETURNED] = LIST(returned, false),
    [ALLOT__EVENT_SUBMIT] = LIST(submit, true),
    [ALLOT__EVENT_STOP] = LIST(only_id, false),
    [ALLOT__EVENT_CONT] = LIST(only_id, false),
    [ALLOT__EVENT_WITHDRAW] = LIST(only_id, false),
    [ALLOT__EVENT_LEASE] = LIST(lease, false),
    [ALLOT__EVENT_TASK] = LIST(task, true),
    [ALLOT__EVENT_DECLINE] = LIST(decline, false),
    [ALLOT__EVENT_RUN] = LIST(run, false),
    [ALLOT__EVENT_REQUEUE] = LIST(only_id, false),
    [ALLOT__EVENT_FAIL] = LIST(fail, false),
    [ALLOT__EVENT_KEEP_SYNC] = LIST(sync, false),
    [ALLOT__EVENT_KEEP_CLOCK] = LIST(clock_, false),
    [ALLOT__EVENT_KEEP_BACK] = LIST(back, false),
    [ALLOT__EVENT_KEEP_ROW] = LIST(row, false),
    [ALLOT__EVENT_KEEP_FLIGHT] = LIST(flight, false),
    [ALLOT__EVENT_KEEP_CLAIM] = LIST(claim, false),
    [ALLOT__EVENT_KEEP_VICTIM] = LIST(victim, false),
    [ALLOT__EVENT_KEEP_LANDED] = LIST(only_id, false),
    [ALLOT__EVENT_KEEP_TOLD] = LIST(told, false),
    [ALLOT__EVENT_KEEP_LOANS] = LIST(none, false),
    [ALLOT__EVENT_KEEP_LOAN] = LIST(loan, false),
    [ALLOT__EVENT_KEEP_JOB] = LIST(job, true),
    [ALLOT__EVENT_KEEP_USAGE] = LIST(usage, false),
    [ALLOT__EVENT_KEEP_RESOURCE] = LIST(resource, false),
};

static const struct {
    const char *name;
    bool kept;
} kinds[ALLOT__EVENTS] = {
#define ROW(name, text, kept) [ALLOT__EVENT_##name] = {text, kept},
    ALLOT__EVENT_MAP(ROW)
#undef ROW
};

void allot__event_init(allot__event *event, allot__event_kind kind)
{
    *event = (allot__event){.kind = kind,
                            .consumer = ALLOT_ROOT,
                            .queue = -1,
                            .lease = -1,
                            .other = ALLOT_ROOT,
                            .slots = 1,
                            .priority = kind == ALLOT__EVENT_SESSION ||
                                        kind == ALLOT__EVENT_START || kind == ALLOT__EVENT_TASK,
                            .demand = -1,
                            .scheduling = ALLOT_PROPORTIONAL,
                            .closed = -1,
                            .load = -1,
                            .run_limit = -1,
                            .until = INT64_MIN,
                            .phase = -1,
                            .since = INT64_MIN,
                            .deadline = INT64_MAX,
                            .ran = -1,
                            .allocated = -1,
                            .unlisted = -1,
                            .reclaimed_at = INT64_MIN,
                            .waiting_since = INT64_MIN};
}

int allot__event_times(const allot__event *event, int64_t now, allot__error *fault)
{
    const struct {
        const char *name;
        int64_t when;
    } times[] = {{"at", event->at},
                 {"started", event->started},
                 {"submitted", event->submitted},
                 {"created", event->created}};
    int64_t most = now + ALLOT__EVENT_AHEAD;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i].when < 0 || times[i].when > most)
            return allot__error_set(
                fault, ALLOT_ERANGE, "E-time", times[i].name,
                "the service's clock counts: `ping` tells it",
                "%s: found %lld, allowed 0 ... %lld: what happened may be at most %d s ahead",
                times[i].name, (long long)times[i].when, (long long)most, ALLOT__EVENT_AHEAD);
    return ALLOT_OK;
}

int32_t allot__event_find_kept(const char *method, size_t len)
{
    for (int32_t i = 0; i < ALLOT__EVENTS; i++)
        if (strlen(kinds[i].name) == len && memcmp(kinds[i].name, method, len) == 0)
            return i;
    return -1;
}

int32_t allot__event_find(const char *method, size_t len)
{
    int32_t kind = allot__event_find_kept(method, len);
    return kind >= 0 && !kinds[kind].kept ? kind : -1;
}

int32_t allot__event_find_stored(const char *method, size_t len)
{
    int32_t kind = allot__event_find_kept(method, len);
    bool stored = kind == ALLOT__EVENT_KEEP_BACK || kind == ALLOT__EVENT_KEEP_SYNC;
    return stored ? kind : allot__event_find(method, len);
}

const char *allot__event_name(int kind)
{
    return kind >= 0 && kind < ALLOT__EVENTS ? kinds[kind].name : NULL;
}
