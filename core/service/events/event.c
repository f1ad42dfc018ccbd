/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: the table of events: their items, and the members beyond the items'; and their reading,
 * as documents are read. */
#include "service/events/event.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/name.h"

/* ---- Members --------------------------------------------------------------------------------- */

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
static const allot_member user[] = {NAME("name", ALLOT_MEMBER_LABEL)};
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
    [ALLOT__EVENT_KEEP_USER] = TELLS(user, USER, false, NULL),
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

/* ---- The reader ------------------------------------------------------------------------------ */

/* Holds the text of the last event, of which its strings and lists are parts. */
struct allot__event_reader {
    allot_engine *engine;
    allot_json *json;
    allot_report *newcomers; /* see allot__event_newcomers */
};

/* ---- Bounds that documents do not have ------------------------------------------------------- */

/* Most bytes of an event's params; most items in a client's list, which books compare. */
enum { PARAMS_MOST = 256 * 1024, ITEMS_MOST = 256 };

static int check_text(const allot_member *member, const char *text, allot__error *fault)
{
    bool label = member->flags & ALLOT_MEMBER_LABEL;
    size_t len = strlen(text);
    if (label ? allot__label_valid(text) : len >= 1 && len <= 255)
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-name", member->name,
                              "%s: found \"%.60s\", allowed 1 ... 255 bytes%s", member->name, text,
                              label ? " without control characters" : "");
}

static int check_list(const allot_member *member, const char *item, allot__error *fault)
{
    int32_t count;
    memcpy(&count, item + member->count_at, sizeof count);
    if (count <= ITEMS_MOST)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-range", member->name, NULL,
                            "%s: found more than %d, allowed at most %d", member->name, ITEMS_MOST,
                            ITEMS_MOST);
}

static int check_part(const allot_json_part *part, allot__speaker speaker, allot__error *fault)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; part->stated >> i != 0 && status == ALLOT_OK; i++) {
        const allot_member *member = &part->members->items[i];
        const char *at = (const char *)part->item + member->at;
        if (!(part->stated >> i & 1))
            continue;
        if (member->type == ALLOT_MEMBER_TEXT)
            status = check_text(member, *(const char *const *)(const void *)at, fault);
        else if (member->count_at != 0 && speaker == ALLOT__CLIENT)
            status = check_list(member, part->item, fault);
    }
    return status;
}

/* Parts of a task's slots are in the plan's order, whatever order they are given in. */
static void sort_slots(const allot_task *task)
{
    allot_task_slots *list = (allot_task_slots *)task->also; /* the reader's */
    for (int32_t i = 1; i < task->also_count; i++)
        for (int32_t k = i; k > 0 && list[k - 1].group > list[k].group; k--) {
            allot_task_slots part = list[k];
            list[k] = list[k - 1];
            list[k - 1] = part;
        }
}

/* ---- One event ------------------------------------------------------------------------------- */

int allot__event_reader_new(allot_engine *engine, allot__event_reader **out)
{
    allot__event_reader *reader = allot__new(engine, 1, sizeof *reader);
    if (!reader)
        return ALLOT_ENOMEM;
    reader->engine = engine;
    *out = reader;
    return ALLOT_OK;
}

void allot__event_reader_free(allot__event_reader *reader)
{
    if (!reader)
        return;
    allot_json_close(reader->json);
    allot_report_free(reader->newcomers);
    allot__free(reader->engine, reader, 1, sizeof *reader);
}

static int take_newcomers(allot_engine *engine, const allot_report *report, allot_report **to,
                          allot__error *fault)
{
    int32_t count;
    const char *const *paths = allot_report_newcomers(report, &count);
    if (count == 0)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; to && i < count; i++)
        if ((!*to && allot_report_new(engine, to) != ALLOT_OK) ||
            allot_report_newcomer(*to, paths[i]) != ALLOT_OK)
            return ALLOT_ENOMEM;
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-path", "consumer", NULL,
                            "consumer: the plan has no \"%.200s\" yet", paths[0]);
}

const allot_report *allot__event_newcomers(const allot__event_reader *reader)
{
    return reader->newcomers;
}

void allot__event_newcomers_forget(allot__event_reader *reader)
{
    allot_report_free(reader->newcomers);
    reader->newcomers = NULL;
}

int allot__params_take(allot_engine *engine, allot_json **json, const allot_plan *plan,
                       const char *params, size_t len, allot_json_part *parts, int32_t count,
                       allot_report **newcomers, allot__error *fault)
{
    allot_report *report = NULL;
    int status = ALLOT_EINVALID;
    /* A fault is rare: the words about it are made by a second reading. */
    for (int pass = 0; pass < 2 && (status == ALLOT_EINVALID || status == ALLOT_ENOENT); pass++) {
        allot_json_close(*json);
        *json = NULL;
        if (pass > 0 && allot_report_new(engine, &report) != ALLOT_OK)
            return ALLOT_ENOMEM;
        status = allot_json_open(engine, params ? params : "{}", params ? len : 2, NULL, 1, 0,
                                 report, json);
        if (status == ALLOT_OK)
            status = allot_json_members(*json, plan, parts, count);
    }
    if (status == ALLOT_EINVALID)
        status = allot__error_take(fault, report);
    else if (status == ALLOT_ENOENT)
        status = take_newcomers(engine, report, newcomers, fault);
    allot_report_free(report);
    return status;
}

/* Earlier versions took tags for members. */
static bool is_tag(const allot_plan *plan, const char *name)
{
    allot_attribute attribute = {0};
    for (int32_t i = 0; allot_plan_task_attribute_at(plan, i, &attribute) == ALLOT_OK; i++)
        if (attribute.type == ALLOT_TAG && strcmp(attribute.name, name) == 0)
            return true;
    return false;
}

static int unfit_tag(const allot_plan *plan, int status, allot__error *fault)
{
    char name[sizeof fault->path];
    if (status != ALLOT_EINVALID || strcmp(fault->code, "E-unknown-key") != 0 ||
        !is_tag(plan, fault->path))
        return status;
    memcpy(name, fault->path, sizeof name);
    return allot__error_unfit(fault, status, "E-unknown-key", name,
                              "\"%.80s\" is a tag: it is said as a word of \"tags\"", name);
}

int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault)
{
    const allot__fields *fields = &allot__event_fields[kind];
    const int32_t kept = speaker == ALLOT__CLIENT ? ALLOT__MEMBER_KEPT : 0;
    allot__event event;
    allot_json_part parts[ALLOT__FIELD_LISTS];
    for (int list = 0; list < ALLOT__FIELD_LISTS; list++)
        parts[list] = (allot_json_part){.members = allot__fields_of(fields, list),
                                        .item = allot__field_base(&event, list),
                                        .without = kept};
    parts[ALLOT__ITEM].without = ALLOT_MEMBER_PASSED;
    parts[ALLOT__ITEM].but = fields->but;
    parts[ALLOT__ITEM].optional = fields->known;
    if (params && len > PARAMS_MOST)
        return allot__error_set(fault, ALLOT_EINVALID, "E-size", "params", NULL,
                                "params have %zu bytes, at most %d are allowed", len, PARAMS_MOST);
    allot__event_init(&event, kind);
    int status = allot__params_take(reader->engine, &reader->json, plan, params, len, parts,
                                    ALLOT__FIELD_LISTS, &reader->newcomers, fault);
    status = unfit_tag(plan, status, fault);
    for (int list = 0; list < ALLOT__FIELD_LISTS && status == ALLOT_OK; list++)
        status = check_part(&parts[list], speaker, fault);
    if (status != ALLOT_OK)
        return status;
    event.said = (uint32_t)parts[ALLOT__OWN].stated;
    event.stated = (uint32_t)parts[ALLOT__ITEM].stated;
    event.at_given = parts[ALLOT__COMMON].stated & 1;
    if (fields->item == ALLOT_ITEM_TASK)
        sort_slots(&event.task);
    *out = event;
    return ALLOT_OK;
}
