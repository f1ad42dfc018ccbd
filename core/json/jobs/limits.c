/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* limits.c: limits on running jobs (lsb.resources), and what hosts allow each user (JL/U). */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "json/jobs/queues.h"
#include "json/text/names.h"

/* Lists of names, and the keys that mean "each of them separately". */
enum { QUEUES, USERS, GROUPS, HOSTS, LISTS };
enum { NAME = 2 * LISTS, SLOTS, PER_PROCESSOR, JOBS, LIMIT_KEYS };
#define NAMES ALLOT__LIST | ALLOT__STRING, 0, 0, false
#define EACH  ALLOT__BOOLEAN | ALLOT__LIST | ALLOT__STRING, 0, 0, false
static const allot__field limit_fields[LIMIT_KEYS] = {
    [QUEUES] = {"queues", NAMES},
    [USERS] = {"users", NAMES},
    [GROUPS] = {"user_groups", NAMES},
    [HOSTS] = {"hosts", NAMES},
    [LISTS + QUEUES] = {"per_queue", EACH},
    [LISTS + USERS] = {"per_user", EACH},
    [LISTS + GROUPS] = {"per_group", EACH},
    [LISTS + HOSTS] = {"per_host", EACH},
    [NAME] = {"name", ALLOT__STRING, 0, 0, false},
    [SLOTS] = {"slots", ALLOT__LIMIT},
    [PER_PROCESSOR] = {"slots_per_processor", ALLOT__NUMBER | ALLOT__LIMIT},
    [JOBS] = {"jobs", ALLOT__LIMIT},
};
static const allot__shape limit_shape = {limit_fields, LIMIT_KEYS, 0};

static bool has_names(const allot__value *value)
{
    return value->kind == ALLOT__LIST || value->kind == ALLOT__STRING;
}

/* Reads both keys of a list; they may not both have names. */
static void read_names(allot__doc *doc, const allot__value *values, int list, allot__texts *texts,
                       allot_job_limit *limit)
{
    static const int32_t bits[LISTS] = {
        [QUEUES] = ALLOT_PER_QUEUE,
        [USERS] = ALLOT_PER_USER,
        [GROUPS] = ALLOT_PER_GROUP,
        [HOSTS] = ALLOT_PER_HOST,
    };
    const allot__value *of = &values[list], *each = &values[LISTS + list];
    if (has_names(of) && has_names(each))
        allot__doc_fault(doc, allot__at_key(each->number), "E-conflict", NULL,
                         "found names in \"%s\" beside \"%s\", allowed in one of them; \"%s\": "
                         "true is of each",
                         limit_fields[LISTS + list].key, limit_fields[list].key,
                         limit_fields[LISTS + list].key);
    if (has_names(each) || (each->kind == ALLOT__BOOLEAN && each->integer != 0))
        limit->per |= bits[list];
    const allot__value *names = has_names(of) ? of : has_names(each) ? each : NULL;
    if (!names)
        return;
    allot__texts_read(doc, names, texts);
    allot__texts_some(doc, names, texts);
}

static bool is_all(const allot__texts *texts)
{
    return texts->count == 1 && strcmp(texts->items[0], "all") == 0;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static bool has_words(const allot__texts *texts)
{
    for (int32_t i = 0; i < texts->count; i++)
        if (texts->items[i][0] == '~' || strcmp(texts->items[i], "all") == 0)
            return true;
    return false;
}

/* Takes a name's queue, or all, out of the list or into it; false: there is no such queue. */
static bool mark_queue(const allot_plan *plan, const char *name, const char **queues)
{
    bool without = name[0] == '~';
    int32_t found = allot_plan_queue_find(plan, name + without);
    bool all = strcmp(name + without, "all") == 0;
    allot_queue queue;
    for (int32_t i = 0; i < allot_plan_queues(plan); i++)
        if ((all || i == found) && allot_plan_queue_at(plan, i, &queue) == ALLOT_OK)
            queues[i] = without ? NULL : queue.name;
    return all || found >= 0;
}

/* "all ~q1": exceptions are removed last. */
static void mark_queues(allot__plan_reader *reader, const allot__texts *texts, const char **queues)
{
    bool any = false;
    for (int32_t i = 0; i < texts->count; i++)
        any = any || texts->items[i][0] != '~';
    if (!any)
        mark_queue(reader->plan, "all", queues);
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < texts->count; i++) {
            allot__spot spot = allot__at(texts->numbers[i]);
            if ((texts->items[i][0] == '~') != (pass == 1) ||
                mark_queue(reader->plan, texts->items[i], queues) || reader->queues_lost)
                continue;
            allot__doc_found(&reader->doc, spot, "E-queue", NULL, "", ", which is no queue");
        }
}

static void find_queues(allot__plan_reader *reader, const allot__texts *texts,
                        allot_job_limit *limit)
{
    limit->queues = texts->items;
    limit->queue_count = is_all(texts) ? 0 : texts->count;
    if (is_all(texts) || !has_words(texts))
        return;
    int32_t count = allot_plan_queues(reader->plan);
    const char **queues = allot__doc_take(&reader->doc, (size_t)count, sizeof *queues);
    if (!queues)
        return;
    mark_queues(reader, texts, queues);
    limit->queues = queues;
    limit->queue_count = 0;
    for (int32_t i = 0; i < count; i++)
        if (queues[i])
            queues[limit->queue_count++] = queues[i];
    if (limit->queue_count == 0)
        allot__doc_fault(&reader->doc, allot__at(texts->numbers[0]), "E-queue", NULL,
                         "found a list that names no queue, allowed one that names some");
}

/* ---- Users and groups: "all ~ann", say ------------------------------------------------------- */

/* Four lists in one block, each with its full capacity. */
typedef struct lists {
    const char **users, **groups, **but_users, **but_groups;
} lists;

static bool names_all(const char *name)
{
    return strcmp(name, "all") == 0;
}

/* Is "all" in the list? Then other names have no effect, unless they are excepted. */
static bool has_all(const allot__texts *texts)
{
    for (int32_t i = 0; i < texts->count; i++)
        if (names_all(texts->items[i]))
            return true;
    return false;
}

static void take(allot__plan_reader *reader, const allot__texts *texts, bool groups,
                 const lists *to, allot_job_limit *limit)
{
    bool all = has_all(texts);
    for (int32_t i = 0; i < texts->count; i++) {
        allot__spot spot = allot__at(texts->numbers[i]);
        bool but = texts->items[i][0] == '~';
        const char *name = texts->items[i] + but;
        bool group = groups || allot__is_user_group(reader, name);
        if (but && (*name == '\0' || names_all(name)))
            allot__doc_found(&reader->doc, spot, "E-unsupported", NULL, "",
                             ", allowed \"~\" before the name of a user or group");
        else if (but && group)
            to->but_groups[limit->but_group_count++] = name;
        else if (but)
            to->but_users[limit->but_user_count++] = name;
        else if (!all && group)
            to->groups[limit->group_count++] = name;
        else if (!all)
            to->users[limit->user_count++] = name;
    }
}

static void find_users(allot__plan_reader *reader, const allot__texts *users,
                       const allot__texts *groups, allot_job_limit *limit)
{
    size_t most = (size_t)users->count + (size_t)groups->count;
    const char **names = allot__doc_take(&reader->doc, 4 * most, sizeof *names);
    if (!names)
        return;
    const lists to = {names, names + most, names + 2 * most, names + 3 * most};
    take(reader, users, false, &to, limit);
    take(reader, groups, true, &to, limit);
    limit->users = to.users;
    limit->groups = to.groups;
    limit->but_users = to.but_users;
    limit->but_groups = to.but_groups;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void find_names(allot__plan_reader *reader, const allot__value *values,
                       allot_job_limit *limit)
{
    allot__texts texts[LISTS] = {{0}};
    for (int i = 0; i < LISTS; i++)
        read_names(&reader->doc, values, i, &texts[i], limit);
    find_queues(reader, &texts[QUEUES], limit);
    find_users(reader, &texts[USERS], &texts[GROUPS], limit);
    if (!is_all(&texts[HOSTS]))
        limit->hosts = allot__hosts_named(reader, &texts[HOSTS], &limit->host_count);
}

/* Adds the limit if nothing is wrong with it. */
static void add_limit(allot__plan_reader *reader, uint32_t object, const allot_job_limit *limit,
                      int64_t faults)
{
    if (reader->doc.faults > faults) {
        reader->queues_lost = true;
        return;
    }
    int status = allot_plan_job_limit(reader->plan, limit);
    if (status == ALLOT_OK)
        allot__objects_add(&reader->doc, &reader->limits, object);
    if (status != ALLOT_ENAME) {
        allot__doc_keep(&reader->doc, status);
        return;
    }
    reader->queues_lost = true;
    allot__doc_fault(&reader->doc, allot__at(object), "E-name", NULL,
                     "found a limit's name of too few or many bytes, allowed " ALLOT__LABEL_RULE);
}

static bool is_number(const allot__value *value)
{
    return value->kind == ALLOT__INTEGER || value->kind == ALLOT__NUMBER;
}

/* Slots on a processor, in thousandths; below 0: out of range (reported). */
static int64_t per_processor(allot__doc *doc, const allot__value *value, int32_t per)
{
    int64_t most = allot__thousandths_take(doc, value);
    if ((per & ALLOT_PER_HOST) == 0)
        allot__doc_fault(doc, allot__at_key(value->number), "E-missing",
                         "add \"per_host\": true, or the hosts' names",
                         "slots_per_processor is of each host: \"per_host\" is missing");
    return most;
}

static void add_limits(allot__plan_reader *reader, uint32_t object, const allot__value *values,
                       allot_job_limit *limit, int64_t faults)
{
    static const allot_limit_kind kinds[] = {ALLOT_LIMIT_SLOTS, ALLOT_LIMIT_PER_PROCESSOR,
                                             ALLOT_LIMIT_JOBS};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        const allot__value *value = &values[SLOTS + i];
        any = any || value->number != 0;
        if (!is_number(value))
            continue;
        limit->kind = kinds[i];
        limit->most = i == 1 ? per_processor(&reader->doc, value, limit->per) : value->integer;
        add_limit(reader, object, limit, faults);
    }
    if (!any)
        allot__doc_fault(&reader->doc, allot__at(object), "E-missing", NULL,
                         "\"slots\", \"slots_per_processor\" or \"jobs\" is missing");
}

static void read_limit(allot__plan_reader *reader, uint32_t object, int32_t place)
{
    allot__value values[LIMIT_KEYS];
    allot_job_limit limit = {0};
    char name[24];
    int64_t faults = reader->doc.faults;
    allot__object_read(&reader->doc, object, &limit_shape, values);
    snprintf(name, sizeof name, "limit %d", (int)place + 1);
    limit.name = values[NAME].kind != 0 ? values[NAME].string : name;
    find_names(reader, values, &limit);
    add_limits(reader, object, values, &limit, faults);
}

/* ---- What hosts allow each user -------------------------------------------------------------- */

/* Hosts that state jl_u: hosts with the same value share one limit, which holds per host. */
typedef struct allowed {
    const char *host;
    uint32_t number; /* the value; 0: the limit was added */
    int64_t most;
} allowed;

static void read_allowed(allot__plan_reader *reader, uint32_t object, allowed *list, int32_t *count)
{
    static const allot__field field = {"jl_u", ALLOT__LIMIT};
    allot__doc *doc = &reader->doc;
    const char *host = allot__doc_key(doc, object);
    bool known =
        allot__doc_first(doc, object) == '{' && allot_plan_host_find(reader->plan, host) >= 0;
    uint32_t number = known ? allot__doc_member(doc, object, "jl_u") : 0;
    if (number == 0)
        return;
    allot__value value = allot__value_read(doc, number, &field);
    if (value.kind == ALLOT__INTEGER)
        list[(*count)++] = (allowed){host, number, value.integer};
}

/* Adds the limit of entry i and of later entries with the same value; `hosts` has space for all. */
static void add_allowed(allot__plan_reader *reader, allowed *list, int32_t count, int32_t i,
                        const char **hosts)
{
    char name[40];
    uint32_t number = list[i].number;
    snprintf(name, sizeof name, "jl_u %lld", (long long)list[i].most);
    allot_job_limit limit = {.name = name,
                             .kind = ALLOT_LIMIT_SLOTS,
                             .most = list[i].most,
                             .per = ALLOT_PER_USER | ALLOT_PER_HOST,
                             .hosts = hosts};
    for (int32_t k = i; k < count; k++) {
        if (list[k].number == 0 || list[k].most != limit.most)
            continue;
        hosts[limit.host_count++] = list[k].host;
        list[k].number = 0;
    }
    add_limit(reader, number, &limit, reader->doc.faults);
}

static void read_host_limits(allot__plan_reader *reader)
{
    const allot__value *top = &reader->top[ALLOT__PLAN_HOSTS];
    allot__doc *doc = &reader->doc;
    int32_t count = 0;
    size_t room = allot__value_count(doc, top);
    allowed *list = allot__doc_take(doc, room, sizeof *list);
    const char **hosts = allot__doc_take(doc, room, sizeof *hosts);
    uint32_t it = list && hosts ? allot__value_in(doc, top) : 0;
    for (; it; it = allot__doc_after(doc, top->number, it))
        read_allowed(reader, it, list, &count);
    for (int32_t i = 0; i < count; i++)
        if (list[i].number != 0)
            add_allowed(reader, list, count, i, hosts);
}

void allot__limits_read(allot__plan_reader *reader)
{
    const allot__value *list = &reader->top[ALLOT__PLAN_LIMITS];
    allot__doc *doc = &reader->doc;
    int32_t place = 0;
    if (!allot__plan_states(reader, ALLOT__PLAN_QUEUES))
        return;
    uint32_t it = allot__value_in(doc, list);
    for (; it; it = allot__doc_after(doc, list->number, it), place++) {
        allot__entry_begin(doc);
        if (allot__kind_check(doc, it, ALLOT__OBJECT))
            read_limit(reader, it, place);
        allot__entry_end(doc);
    }
    read_host_limits(reader);
}

void allot__objects_add(allot__doc *doc, allot__objects *objects, uint32_t number)
{
    uint32_t *grown = allot__grow(doc->engine, objects->numbers, &objects->room, objects->count + 1,
                                  sizeof *grown);
    if (!grown) {
        allot__doc_keep(doc, ALLOT_ENOMEM);
        return;
    }
    objects->numbers = grown;
    objects->numbers[objects->count++] = number;
}
