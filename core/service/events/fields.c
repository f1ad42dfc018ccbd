/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fields.c: the table of events: their items, and the members beyond the items'. */
#include "service/events/fields.h"

#include <stddef.h>
#include <string.h>

#define AT(member) .at = (uint16_t)offsetof(allot__event, member)
#define MUST       ALLOT_MEMBER_REQUIRED
#define KEPT       ALLOT__MEMBER_KEPT
#define TEXT(key, where, rules)                                                                    \
    {                                                                                              \
        .name = key, AT(where), .flags = rules,                                                    \
        .least = ALLOT_MEMBER_DIGITS & (rules) ? INT64_MIN : 0,                                    \
        .most = ALLOT_MEMBER_DIGITS & (rules) ? INT64_MAX : 0                                      \
    }
#define NUMBER(key, kind, where, rules)                                                            \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_##kind, AT(where), .flags = rules                        \
    }
#define WHOLE(key, where, rules, low, high, none)                                                  \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_WHOLE, AT(where), .flags = rules, .least = low,          \
        .most = high, .unset = none                                                                \
    }
#define ANY(key, where)   WHOLE(key, where, 0, INT64_MIN, INT64_MAX, INT64_MIN)
#define SLOTS(rules, low) WHOLE("slots", slots, rules, low, ALLOT_AMOUNT_MAX, low)
#define TIME(key, where, rules, none)                                                              \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_TIME, AT(where),                                         \
        .flags = (rules) | ALLOT_MEMBER_NULLABLE, .least = INT64_MIN, .most = INT64_MAX,           \
        .unset = none                                                                              \
    }
#define MARK(key, where, rules)                                                                    \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_FLAG, AT(where), .flags = rules, .least = 1              \
    }
#define PLACES(key, where, counts)                                                                 \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_PLACES, AT(where),                                       \
        .count_at = (uint16_t)offsetof(allot__event, counts)                                       \
    }
#define NAME(key, rules) TEXT(key, id, MUST | (rules))
#define ID               NAME("id", ALLOT_MEMBER_DIGITS)
#define JOB_ID           NAME("id", ALLOT_MEMBER_DIGITS | ALLOT_MEMBER_LABEL)
#define SOURCE           TEXT("source", source, KEPT | ALLOT_MEMBER_NULLABLE | ALLOT_MEMBER_LABEL)
#define LEAF             NUMBER("consumer", LEAF, consumer, MUST)
#define GROUP            NUMBER("group", GROUP, group, 0)
#define TOLD             MARK("told", told, KEPT)

static const allot_member common[] = {TIME("at", at, 0, 0), TEXT("key", key, 0)};
static const allot_member amount[] = {LEAF, GROUP, SLOTS(MUST, 0), SOURCE};
static const allot_member allocated[] = {
    LEAF, GROUP, SLOTS(MUST, 0), WHOLE("unlisted", unlisted, 0, 0, ALLOT_AMOUNT_MAX, -1), SOURCE};
static const allot_member release[] = {LEAF, GROUP, SLOTS(MUST, 1)};
static const allot_member start[] = {ID, MARK("adopt", adopt, 0), TOLD, SOURCE};
static const allot_member finish[] = {ID, MARK("keep", keep, 0), MARK("done", done, 0)};
static const allot_member task[] = {ID, MARK("adopt", adopt, KEPT), MARK("whole", whole, KEPT),
                                    TOLD, SOURCE};
static const allot_member told[] = {ID, TOLD};
static const allot_member decline[] = {LEAF, GROUP, SLOTS(0, 0),
                                       TIME("until", until, MUST, INT64_MIN),
                                       WHOLE("most", demand, KEPT, 0, ALLOT_AMOUNT_MAX, -1)};
static const allot_member session[] = {ID, SOURCE};
static const allot_member only_id[] = {ID};
static const allot_member host[] = {NAME("name", ALLOT_MEMBER_LABEL), MARK("whole", whole, KEPT),
                                    SOURCE};
static const allot_member only_name[] = {NAME("name", 0)};
static const allot_member slots[] = {GROUP, SLOTS(MUST, 0)};
static const allot_member returned[] = {NAME("reclaim", 0), SLOTS(MUST, 1),
                                        MARK("keep", keep, KEPT)};
/* An event may give at most ALLOT_AMOUNT_MAX seconds; a state may have more. */
#define SUSPENDED WHOLE("suspended_for", job.suspended_for, 0, 0, ALLOT_AMOUNT_MAX, 0)
static const allot_member submit[] = {JOB_ID, SUSPENDED, MARK("whole", whole, KEPT), SOURCE};
static const char *const not_submitted[] = {"since", "begin", "backfill", "resize", NULL};
static const allot_member job[] = {JOB_ID,
                                   SUSPENDED,
                                   WHOLE("grow", job.grow, 0, 0, ALLOT_AMOUNT_MAX, 0),
                                   PLACES("grown", job.grown, job.grown_count),
                                   TIME("until", job.begin, 0, INT64_MIN),
                                   SOURCE};
static const char *const not_kept[] = {"begin", "backfill", "resize", NULL};
static const allot_member run[] = {JOB_ID, PLACES("hosts", job.hosts, job.host_count),
                                   TIME("started", job.started, 0, INT64_MIN)};
static const allot_member fail[] = {ID, TIME("until", until, 0, INT64_MIN)};
#define SIDE(of)                                                                                   \
    WHOLE("available", of.available, 0, 0, ALLOT_AMOUNT_MAX, -1),                                  \
        WHOLE("used", of.used, 0, 0, ALLOT_AMOUNT_MAX, -1),                                        \
        WHOLE("demand", of.demand, 0, 0, ALLOT_AMOUNT_MAX, -1)
static const allot_member provider[] = {SIDE(provider)}, holder[] = {SIDE(holder)};
static const allot_member lease[] = {
    NAME("name", 0),
    {"provider", ALLOT_MEMBER_OBJECT, .members = provider, .member_count = 3},
    {"consumer", ALLOT_MEMBER_OBJECT, .members = holder, .member_count = 3},
    {"phase", ALLOT_MEMBER_WORD, KEPT, AT(phase), .unset = -1, .word = allot_lease_phase_name},
    TIME("since", since, KEPT, INT64_MIN)};
static const allot_member clock_[] = {ANY("now", since)};
static const allot_member back[] = {ANY("now", since), ANY("by", by)};
static const allot_member row[] = {LEAF, GROUP, SOURCE};
static const allot_member flight[] = {NAME("id", 0), ANY("since", since)};
static const char *const not_in_flight[] = {"tasks", "for", NULL};
static const allot_member claim[] = {NAME("id", 0), NUMBER("for", CONSUMER, other, MUST),
                                     SLOTS(0, 1)};
static const allot_member victim[] = {NAME("id", 0), TEXT("task", key, MUST)};
static const allot_member sync[] = {SOURCE, MARK("brief", keep, 0), MARK("whole", whole, 0),
                                    ANY("digest", since)};
static const allot_member none[] = {WHOLE("now", since, KEPT, 0, 0, 0)};
static const allot_member loan[] = {NUMBER("consumer", LEAF, loan.lender, MUST)};
static const char *const not_lent[] = {"lender", NULL};
static const allot_member usage[] = {NUMBER("queue", QUEUE, queue, MUST), ANY("usage", use),
                                     WHOLE("millionths", millionths, 0, 0, ALLOT_AMOUNT_MAX, 0)};
static const allot_member resource[] = {NAME("name", 0), ANY("preempted_at", since)};

#define OWN(list)                                                                                  \
    {                                                                                              \
        "", "", sizeof(allot__event), list, (int32_t)(sizeof list / sizeof *list)                  \
    }
#define NONE(list)                                                                                 \
    {                                                                                              \
        OWN(list), ALLOT_ITEMS, false, NULL                                                        \
    }
#define TELLS(list, kind, known, but)                                                              \
    {                                                                                              \
        OWN(list), ALLOT_ITEM_##kind, known, but                                                   \
    }
static const allot_members common_members = OWN(common);
const allot__fields allot__event_fields[ALLOT__EVENTS] = {
    [ALLOT__EVENT_DEMAND] = NONE(amount),
    [ALLOT__EVENT_RELEASE] = NONE(release),
    [ALLOT__EVENT_ALLOCATED] = NONE(allocated),
    [ALLOT__EVENT_START] = TELLS(start, TASK, true, NULL),
    [ALLOT__EVENT_FINISH] = NONE(finish),
    [ALLOT__EVENT_SESSION] = TELLS(session, SESSION, false, NULL),
    [ALLOT__EVENT_SESSION_END] = NONE(only_id),
    [ALLOT__EVENT_HOST] = TELLS(host, HOST, true, NULL),
    [ALLOT__EVENT_HOST_GONE] = NONE(only_name),
    [ALLOT__EVENT_SLOTS] = NONE(slots),
    [ALLOT__EVENT_RETURNED] = NONE(returned),
    [ALLOT__EVENT_SUBMIT] = TELLS(submit, JOB, false, not_submitted),
    [ALLOT__EVENT_STOP] = NONE(only_id),
    [ALLOT__EVENT_CONT] = NONE(only_id),
    [ALLOT__EVENT_WITHDRAW] = NONE(only_id),
    [ALLOT__EVENT_LEASE] = NONE(lease),
    [ALLOT__EVENT_TASK] = TELLS(task, TASK, true, NULL),
    [ALLOT__EVENT_DECLINE] = NONE(decline),
    [ALLOT__EVENT_RUN] = NONE(run),
    [ALLOT__EVENT_REQUEUE] = NONE(only_id),
    [ALLOT__EVENT_FAIL] = NONE(fail),
    [ALLOT__EVENT_KEEP_SYNC] = NONE(sync),
    [ALLOT__EVENT_KEEP_CLOCK] = NONE(clock_),
    [ALLOT__EVENT_KEEP_BACK] = NONE(back),
    [ALLOT__EVENT_KEEP_ROW] = TELLS(row, ROW, false, NULL),
    [ALLOT__EVENT_KEEP_FLIGHT] = TELLS(flight, RECLAIM, false, not_in_flight),
    [ALLOT__EVENT_KEEP_CLAIM] = NONE(claim),
    [ALLOT__EVENT_KEEP_VICTIM] = NONE(victim),
    [ALLOT__EVENT_KEEP_LANDED] = NONE(only_id),
    [ALLOT__EVENT_KEEP_TOLD] = NONE(told),
    [ALLOT__EVENT_KEEP_LOANS] = NONE(none),
    [ALLOT__EVENT_KEEP_LOAN] = TELLS(loan, LOAN, false, not_lent),
    [ALLOT__EVENT_KEEP_JOB] = TELLS(job, JOB, false, not_kept),
    [ALLOT__EVENT_KEEP_USAGE] = NONE(usage),
    [ALLOT__EVENT_KEEP_RESOURCE] = NONE(resource),
};

const allot_members *allot__fields_of(const allot__fields *fields, int list)
{
    return list == ALLOT__COMMON ? &common_members
           : list == ALLOT__OWN  ? &fields->own
                                 : allot_members_of(fields->item);
}

const void *allot__event_said(const allot__event *event, const char *name)
{
    const uint32_t said[] = {[ALLOT__OWN] = event->said, [ALLOT__ITEM] = event->stated};
    for (int list = ALLOT__OWN; list <= ALLOT__ITEM; list++) {
        const allot_members *of = allot__fields_of(&allot__event_fields[event->kind], list);
        const allot_member *member = allot_member_find(of, name);
        if (member && said[list] >> (member - of->items) & 1)
            return allot__field_base((allot__event *)event, list) + member->at;
    }
    return NULL;
}

allot_item allot__event_item(allot__event_kind kind)
{
    return allot__event_fields[kind].item;
}

static const struct {
    const char *name;
    bool kept;
    int queues;
} kinds[ALLOT__EVENTS] = {
#define ROW(name, text, kept, queues) [ALLOT__EVENT_##name] = {text, kept, queues},
    ALLOT__EVENT_MAP(ROW)
#undef ROW
};

void allot__event_init(allot__event *event, allot__event_kind kind)
{
    const allot__fields *fields = &allot__event_fields[kind];
    allot_item_init(&fields->own, event);
    allot_item_init(allot_members_of(fields->item), &event->id);
    event->kind = kind;
}

static int check_time(const char *name, int64_t when, int64_t now, allot__error *fault)
{
    int64_t most = now + ALLOT__EVENT_AHEAD;
    if (when >= 0 && when <= most)
        return ALLOT_OK;
    return allot__error_set(
        fault, ALLOT_ERANGE, "E-time", name, "the service's clock counts: `ping` tells it",
        "%s: found %lld, allowed 0 ... %lld: what happened may be at most %d s ahead", name,
        (long long)when, (long long)most, ALLOT__EVENT_AHEAD);
}

int allot__event_times(const allot__event *event, int64_t now, allot__error *fault)
{
    static const char *const names[] = {"started", "submitted", "created"};
    int status = check_time("at", event->at, now, fault);
    for (size_t i = 0; i < sizeof names / sizeof *names && status == ALLOT_OK; i++) {
        const int64_t *when = allot__event_said(event, names[i]);
        status = check_time(names[i], when ? *when : 0, now, fault);
    }
    return status;
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

bool allot__event_fits(allot__event_kind kind, bool queues)
{
    return kinds[kind].queues != (queues ? -1 : 1);
}
