/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: a state from its document: the top level and consumers. */
#include "json/state/state.h"

#include <allot/members.h>
#include <allot/stated.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "json/text/names.h"

/* Set in a consumer's object number. */
#define FAULTY UINT32_C(0x80000000)

static const allot__field state_fields[ALLOT__STATE_KEYS] = {
    [ALLOT__STATE_SCHEMA] = {"schema", ALLOT__STRING, 0, 0, false},
    [ALLOT__STATE_NOW] = {"now", ALLOT__TIME, true},
    [ALLOT__STATE_LAST] = {"last", ALLOT__TIME, false},
    [ALLOT__STATE_NOW_ROUNDED] = {"now_rounded", ALLOT__BOOLEAN, 0, 0, false},
    [ALLOT__STATE_SLOTS] = {"slots", ALLOT__OBJECT | ALLOT__AMOUNT, false},
    [ALLOT__STATE_CONSUMERS] = {"consumers", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_HOSTS] = {"hosts", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_SESSIONS] = {"sessions", ALLOT__LIST, 0, 0, false},
    [ALLOT__STATE_TASKS] = {"tasks", ALLOT__LIST, 0, 0, false},
    [ALLOT__STATE_RECLAIMS] = {"reclaims", ALLOT__LIST, 0, 0, false},
    [ALLOT__STATE_LOANS] = {"loans", ALLOT__LIST, 0, 0, false},
    [ALLOT__STATE_JOBS] = {"jobs", ALLOT__NULL | ALLOT__LIST | ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_USERS] = {"users", ALLOT__NULL | ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_LEASES] = {"leases", ALLOT__NULL | ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_USAGE] = {"usage", ALLOT__NULL | ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_USAGE_AT] = {"usage_at", ALLOT__NULL | ALLOT__TIME, false},
    [ALLOT__STATE_USAGE_REST] = {"usage_rest", ALLOT__NULL | ALLOT__OBJECT, 0, 0, false},
    [ALLOT__STATE_PREEMPTED_AT] = {"resources_preempted_at", ALLOT__NULL | ALLOT__OBJECT, 0, 0,
                                   false},
};
static const allot__shape state_shape = {state_fields, ALLOT__STATE_KEYS, 0};

/* ---- Amounts and times: one number, or one for each group ------------------------------------ */

/* Places in the table of members. */
enum { USAGE = 5, USAGE_AT = 7 };

typedef int (*setter)(allot_state *state, int32_t group, int32_t consumer, int64_t number);

static const allot__field one_amount = {NULL, ALLOT__AMOUNT, false};
static int set_group_slots(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    (void)consumer;
    return allot_state_slots(state, group, slots);
}

/* Of a plan that counts no use, leaves' use is lost. */
static void doubt_use(allot__state_reader *reader, const allot__value *value)
{
    allot_decay decay;
    if (reader->uncounted || allot_plan_decay_get(reader->plan, &decay) == ALLOT_OK)
        return;
    reader->uncounted = true;
    allot__doc_warn(&reader->doc, allot__at(value->number), "W-decay",
                    "in the plan: \"half_life\": 604800 leaves half of it a week later",
                    "use is lost here: the plan states neither \"half_life\" nor \"hist_hours\"");
}

/* A boolean is as much as there is, or nothing. */
static bool read_number(allot__state_reader *reader, const allot__value *value,
                        const allot__field *kind, int64_t *out)
{
    if (value->kind == ALLOT__BOOLEAN) {
        *out = value->integer != 0 ? ALLOT_AMOUNT_MAX : 0;
        return true;
    }
    bool number = allot__time_read(&reader->doc, value, out);
    if (number && kind == &reader->of_group[USAGE] && *out > 0)
        doubt_use(reader, value);
    return number &&
           (kind != &reader->of_group[USAGE_AT] || allot__use_is_past(reader, value->number, *out));
}

static void read_by_group(allot__state_reader *reader, const allot__value *value, int32_t consumer,
                          const allot__field *kind, setter set)
{
    allot__doc *doc = &reader->doc;
    uint32_t it = allot__value_in(doc, value);
    for (; it; it = allot__doc_after(doc, value->number, it)) {
        int32_t group =
            allot__group_find(doc, reader->plan, allot__at_key(it), allot__doc_key(doc, it));
        allot__value found = allot__value_read(doc, it, kind);
        int64_t number;
        if (read_number(reader, &found, kind, &number) && group >= 0 && consumer != ALLOT_ROOT)
            allot__doc_keep(doc, set(reader->state, group, consumer, number));
    }
}

/* `consumer` ALLOT_ROOT: an unknown one, whose amounts are only checked. */
static void read_numbers(allot__state_reader *reader, const allot__value *value, int32_t consumer,
                         const allot__field *kind, setter set)
{
    allot__doc *doc = &reader->doc;
    const char *what = kind->kinds & ALLOT__STRING ? "time" : "number";
    int64_t number;
    if (value->kind == ALLOT__OBJECT)
        read_by_group(reader, value, consumer, kind, set);
    if (value->kind == ALLOT__OBJECT || !read_number(reader, value, kind, &number))
        return;
    if (allot_plan_groups(reader->plan) > 1 && value->kind != ALLOT__BOOLEAN) {
        allot__doc_fault(doc, allot__at(value->number), "E-type", NULL,
                         "found one %s, allowed {group: %s}: the plan has %d groups", what, what,
                         (int)allot_plan_groups(reader->plan));
        return;
    }
    for (int32_t group = 0; consumer != ALLOT_ROOT && group < allot_plan_groups(reader->plan);
         group++)
        allot__doc_keep(doc, set(reader->state, group, consumer, number));
}

/* ---- Consumers ------------------------------------------------------------------------------- */

static int set_member(allot_state *state, int32_t group, int32_t consumer, size_t at,
                      int64_t number)
{
    allot_stated_leaf row;
    int status = allot_state_row_get(state, group, consumer, &row);
    memcpy((char *)&row + at, &number, sizeof number);
    return status == ALLOT_OK ? allot_state_row_set(state, group, consumer, &row) : status;
}
static int set_usage(allot_state *state, int32_t group, int32_t consumer, int64_t number)
{
    return set_member(state, group, consumer, offsetof(allot_stated_leaf, usage), number);
}
static int set_usage_rest(allot_state *state, int32_t group, int32_t consumer, int64_t number)
{
    return set_member(state, group, consumer, offsetof(allot_stated_leaf, usage_rest), number);
}
static int set_usage_at(allot_state *state, int32_t group, int32_t consumer, int64_t number)
{
    return set_member(state, group, consumer, offsetof(allot_stated_leaf, usage_at), number);
}

/* In the order of the table of members. */
static const setter setters[] = {allot_state_demand,
                                 allot_state_allocated,
                                 allot_state_unlisted,
                                 allot_state_reclaimed_at,
                                 allot_state_waiting_since,
                                 set_usage,
                                 set_usage_rest,
                                 set_usage_at};
enum { SET = sizeof setters / sizeof *setters, SHARING = SET, ROW_FIELDS };

static void make_fields(allot__state_reader *reader)
{
    const allot_members *members = allot_members_of(ALLOT_ITEM_ROW);
    for (int i = 0; i < SET; i++) {
        const allot_member *member = &members->items[i];
        bool time = member->type == ALLOT_MEMBER_TIME;
        unsigned kinds = time ? ALLOT__TIME_KINDS : ALLOT__INTEGER;
        kinds |= member->flags & ALLOT_MEMBER_ALL ? ALLOT__BOOLEAN : 0;
        reader->of_group[i] =
            (allot__field){member->name, kinds, member->least + time, member->most, false};
        reader->row[i] = reader->of_group[i];
        reader->row[i].kinds |= ALLOT__OBJECT;
    }
    reader->row[SHARING] = (allot__field){"sharing", ALLOT__ANYTHING, INT64_MIN, INT64_MAX, false};
}

/* A feature of a later version; "none" does not ask for it. */
static void refuse_sharing(allot__doc *doc, const allot__value *value)
{
    bool number = value->kind == ALLOT__BOOLEAN || value->kind == ALLOT__INTEGER;
    bool nests = value->kind == ALLOT__LIST || value->kind == ALLOT__OBJECT;
    bool none = value->kind == 0 || value->kind == ALLOT__NULL || (number && value->integer == 0) ||
                (nests && allot__value_count(doc, value) == 0);
    if (!none)
        allot__doc_fault(doc, allot__at_key(value->number), "E-unsupported", NULL,
                         "\"sharing\" is not in this version yet, allowed only empty");
}

static void read_consumer(allot__state_reader *reader, uint32_t number)
{
    allot__doc *doc = &reader->doc;
    const allot__shape shape = {reader->row, ROW_FIELDS, 0};
    allot__value values[ROW_FIELDS];
    int64_t faults = doc->faults;
    allot__doc_about(doc, NULL, 0, 0);
    int32_t consumer =
        allot__leaf_read(doc, reader->plan, allot__at_key(number), allot__doc_key(doc, number));
    if (!allot__kind_check(doc, number, ALLOT__OBJECT))
        return;
    if (consumer >= 0)
        allot__doc_about(doc, reader->plan, consumer, number);
    allot__object_read(doc, number, &shape, values);
    refuse_sharing(doc, &values[SHARING]);
    for (int i = 0; i < SET; i++)
        read_numbers(reader, &values[i], consumer, &reader->of_group[i], setters[i]);
    if (consumer >= 0)
        reader->objects[consumer] = number | (doc->faults > faults ? FAULTY : 0);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The value at a path like "tasks[3].session"; 0: another kind of path. */
static uint32_t item_of(const allot__state_reader *reader, const char *path)
{
    static const struct {
        const char *list;
        allot__state_key key;
    } lists[] = {{"tasks", ALLOT__STATE_TASKS},
                 {"sessions", ALLOT__STATE_SESSIONS},
                 {"jobs", ALLOT__STATE_JOBS}};
    char list[12], member[24];
    unsigned place;
    if (!path || sscanf(path, "%11[a-z][%u].%23[a-z_]", list, &place, member) != 3)
        return 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        uint32_t number = reader->top[lists[i].key].number;
        if (strcmp(list, lists[i].list) != 0 || number == 0)
            continue;
        uint32_t item = allot__doc_item(&reader->doc, number, place);
        uint32_t found = item != 0 ? allot__doc_member(&reader->doc, item, member) : 0;
        return found != 0 ? found : item;
    }
    return 0;
}

/* The place of the model's finding in the document; *faulty: another fault there may have caused
 * the finding. */
static uint32_t place_of(const allot__state_reader *reader, const allot_diagnostic *finding,
                         bool *faulty)
{
    *faulty = reader->doubtful;
    uint32_t item = item_of(reader, finding->path);
    if (item != 0)
        return item;
    if (finding->consumer < 0)
        return reader->top[ALLOT__STATE_HOSTS].number;
    uint32_t object = reader->objects[finding->consumer] & ~FAULTY;
    *faulty = *faulty || (reader->objects[finding->consumer] & FAULTY) != 0;
    if (finding->field == ALLOT_IN_FLIGHT)
        return reader->top[ALLOT__STATE_RECLAIMS].number;
    if (object == 0)
        return reader
            ->top[allot_plan_queues(reader->plan) > 0 ? ALLOT__STATE_JOBS : ALLOT__STATE_TASKS]
            .number;
    uint32_t stated = allot__doc_member(&reader->doc, object, "allocated");
    return stated != 0 ? stated : object;
}

static void finish(allot__state_reader *reader)
{
    allot__doc *doc = &reader->doc;
    allot_report *found = NULL;
    if (doc->report)
        allot__doc_keep(doc, allot_report_new(doc->engine, &found));
    if (doc->status != ALLOT_OK || doc->newcomers > 0) {
        allot_report_free(found);
        return;
    }
    int status = allot_state_seal(reader->state, found);
    for (int32_t i = 0; found && i < allot_report_count(found); i++) {
        bool faulty;
        const allot_diagnostic *finding = allot_report_at(found, i);
        uint32_t number = place_of(reader, finding, &faulty);
        if (!faulty)
            allot__doc_adopt(doc, allot__at(number), finding);
    }
    allot_report_free(found);
    allot__doc_keep(doc, status);
}

/* A state may state its schema. */
static void check_schema(allot__doc *doc, const allot__value *value)
{
    if (value->kind == ALLOT__STRING && strcmp(value->string, ALLOT__STATE_SCHEMA_V1) != 0)
        allot__value_fault(doc, value, "\"" ALLOT__STATE_SCHEMA_V1 "\"");
}

static void read_top(allot__state_reader *reader)
{
    allot__doc *doc = &reader->doc;
    int64_t now, last, usage_at;
    allot__object_read(doc, 0, &state_shape, reader->top);
    check_schema(doc, &reader->top[ALLOT__STATE_SCHEMA]);
    if (allot__time_read(doc, &reader->top[ALLOT__STATE_NOW], &now))
        allot__doc_keep(doc, allot_state_now(reader->state, now));
    if (allot__time_read(doc, &reader->top[ALLOT__STATE_LAST], &last))
        allot__doc_keep(doc, allot_state_last(reader->state, last));
    if (reader->top[ALLOT__STATE_NOW_ROUNDED].kind == ALLOT__BOOLEAN)
        allot__doc_keep(
            doc, allot_state_now_rounded(reader->state,
                                         reader->top[ALLOT__STATE_NOW_ROUNDED].integer != 0));
    allot_decay decay;
    if (allot__time_read(doc, &reader->top[ALLOT__STATE_USAGE_AT], &usage_at) &&
        allot__use_is_past(reader, reader->top[ALLOT__STATE_USAGE_AT].number, usage_at) &&
        allot_plan_decay_get(reader->plan, &decay) == ALLOT_OK)
        allot__doc_keep(doc, allot_state_usage_at(reader->state, usage_at));
}

/* {} also means no jobs: many Lua programs write an empty list so. */
static void check_jobs(allot__state_reader *reader)
{
    allot__value *jobs = &reader->top[ALLOT__STATE_JOBS];
    if (jobs->kind != ALLOT__OBJECT)
        return;
    if (allot__value_count(&reader->doc, jobs) > 0)
        allot__kind_check(&reader->doc, jobs->number, ALLOT__LIST);
    jobs->kind = 0;
}

/* Some keys need a plan with queues, others a plan with consumers; in states of the other kind they
 * must be empty. */
static void check_kind(allot__state_reader *reader)
{
    static const struct {
        allot__state_key key;
        bool queues;
    } kinds[] = {{ALLOT__STATE_JOBS, true},         {ALLOT__STATE_USERS, true},
                 {ALLOT__STATE_USAGE, true},        {ALLOT__STATE_USAGE_REST, true},
                 {ALLOT__STATE_PREEMPTED_AT, true}, {ALLOT__STATE_CONSUMERS, false},
                 {ALLOT__STATE_TASKS, false},       {ALLOT__STATE_SESSIONS, false},
                 {ALLOT__STATE_RECLAIMS, false},    {ALLOT__STATE_LOANS, false}};
    bool queues = allot_plan_queues(reader->plan) > 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        allot__value *value = &reader->top[kinds[i].key];
        bool some = allot__value_count(&reader->doc, value) > 0;
        if (value->kind == ALLOT__NULL)
            *value = (allot__value){0}; /* counts as not stated */
        if (kinds[i].queues == queues)
            continue;
        if (some)
            allot__doc_fault(&reader->doc, allot__at_key(value->number), "E-queues",
                             kinds[i].key == ALLOT__STATE_USAGE
                                 ? "of a leaf: \"consumers\": {\"/a\": {\"usage\": 900}}"
                                 : NULL,
                             queues ? "found \"%s\" beside a plan with queues: its state has "
                                      "\"jobs\""
                                    : "found \"%s\" beside a plan without queues",
                             state_fields[kinds[i].key].key);
        value->kind = 0;
    }
}

static int read_state(allot__state_reader *reader)
{
    static void (*const steps[])(allot__state_reader *) = {allot__lists_read, allot__usage_read,
                                                           allot__preempted_at_read,
                                                           allot__leases_now_read, finish};
    const allot__doc *doc = &reader->doc;
    if (!allot__kind_check(&reader->doc, 0, ALLOT__OBJECT))
        return ALLOT_EINVALID;
    make_fields(reader);
    read_top(reader);
    check_jobs(reader);
    check_kind(reader);
    read_numbers(reader, &reader->top[ALLOT__STATE_SLOTS], 0, &one_amount, set_group_slots);
    allot__members_read(reader, ALLOT__STATE_CONSUMERS, read_consumer);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        steps[i](reader);
    return allot__doc_verdict(doc);
}

int allot_state_read(const allot_plan *plan, const char *text, size_t len, const char *file,
                     allot_report *report, allot_state **out)
{
    allot__state_reader reader = {.plan = plan};
    if (!plan || (!text && len > 0) || !out)
        return ALLOT_EUSAGE;
    allot_engine *engine = allot_plan_engine(plan);
    size_t size = ((size_t)allot_plan_consumers(plan) + 1) * sizeof *reader.objects;
    int status = allot__doc_open(&reader.doc, engine, text, len, file, 1, false, report);
    reader.doc.grows = true;
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &reader.state);
    if (status == ALLOT_OK) {
        reader.objects = allot_engine_alloc(engine, NULL, 0, size);
        status = reader.objects ? ALLOT_OK : ALLOT_ENOMEM;
    }
    if (status == ALLOT_OK) {
        memset(reader.objects, 0, size);
        status = read_state(&reader);
        allot_engine_alloc(engine, reader.objects, size, 0);
    }
    allot__doc_close(&reader.doc);
    if (status == ALLOT_OK)
        *out = reader.state;
    else
        allot_state_free(reader.state);
    return status;
}
