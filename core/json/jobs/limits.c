/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* limits.c: limits on running jobs (lsb.resources), and what hosts allow each user (JL/U). */
#include <stdio.h>
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"

/* Lists of names, and the keys that also say "of each of them by itself". */
enum { QUEUES, USERS, GROUPS, HOSTS, LISTS };
enum { NAME = 2 * LISTS, SLOTS, PER_PROCESSOR, JOBS, LIMIT_KEYS };
#define NAMES ALLOT__LIST | ALLOT__STRING, 0, 0, false, false
#define EACH  ALLOT__BOOLEAN | ALLOT__LIST | ALLOT__STRING, 0, 0, false, false
static const allot__field limit_fields[LIMIT_KEYS] = {
    [QUEUES] = {"queues", NAMES},
    [USERS] = {"users", NAMES},
    [GROUPS] = {"user_groups", NAMES},
    [HOSTS] = {"hosts", NAMES},
    [LISTS + QUEUES] = {"per_queue", EACH},
    [LISTS + USERS] = {"per_user", EACH},
    [LISTS + GROUPS] = {"per_group", EACH},
    [LISTS + HOSTS] = {"per_host", EACH},
    [NAME] = {"name", ALLOT__STRING, 0, 0, false, false},
    [SLOTS] = {"slots", ALLOT__LIMIT},
    [PER_PROCESSOR] = {"slots_per_processor", ALLOT__NUMBER | ALLOT__LIMIT},
    [JOBS] = {"jobs", ALLOT__LIMIT},
};
static const allot__shape limit_shape = {limit_fields, LIMIT_KEYS, 0};

/* What a limit borrows until it is added. */
typedef struct naming {
    allot__texts texts[LISTS];
    const char **hosts, **queues, **users;
    size_t host_room, queue_room, user_room;
} naming;

static void end_naming(allot__doc *doc, naming *it)
{
    for (int i = 0; i < LISTS; i++)
        allot__texts_free(doc, &it->texts[i]);
    allot__block_free(doc, it->hosts, it->host_room, sizeof *it->hosts);
    allot__block_free(doc, it->queues, it->queue_room, sizeof *it->queues);
    allot__block_free(doc, it->users, it->user_room, sizeof *it->users);
}

static bool has_names(const allot__value *value)
{
    return value->kind == ALLOT__LIST || value->kind == ALLOT__STRING;
}

/* Reads both keys of a list; they may not both have names. */
static void read_names(allot__doc *doc, const allot__value *values, int list, naming *it,
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
    allot__texts_read(doc, names, &it->texts[list]);
    allot__texts_some(doc, names, &it->texts[list]);
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

/* "all ~q1": what is not meant is taken out last. */
static void mark_queues(allot__plan_reader *reader, const allot__texts *texts, const char **queues)
{
    char quote[ALLOT__QUOTE_MAX + 4];
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
            allot__doc_fault(&reader->doc, spot, "E-queue", NULL, "found %s, which is no queue",
                             allot__doc_quote(&reader->doc, spot, quote));
        }
}

static void find_queues(allot__plan_reader *reader, naming *it, allot_job_limit *limit)
{
    const allot__texts *texts = &it->texts[QUEUES];
    limit->queues = texts->items;
    limit->queue_count = texts->count;
    if (is_all(texts))
        limit->queue_count = 0;
    if (is_all(texts) || !has_words(texts))
        return;
    it->queue_room = (size_t)allot_plan_queues(reader->plan);
    it->queues = allot__block_new(&reader->doc, it->queue_room, sizeof *it->queues);
    if (!it->queues)
        return;
    mark_queues(reader, texts, it->queues);
    limit->queues = it->queues;
    limit->queue_count = 0;
    for (size_t i = 0; i < it->queue_room; i++)
        if (it->queues[i])
            it->queues[limit->queue_count++] = it->queues[i];
    if (limit->queue_count == 0)
        allot__doc_fault(&reader->doc, allot__at(texts->numbers[0]), "E-queue", NULL,
                         "found a list that names no queue, allowed one that names some");
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void find_names(allot__plan_reader *reader, const allot__value *values, naming *it,
                       allot_job_limit *limit)
{
    for (int i = 0; i < LISTS; i++)
        read_names(&reader->doc, values, i, it, limit);
    find_queues(reader, it, limit);
    allot__limit_users_read(reader, &it->texts[USERS], &it->texts[GROUPS], &it->users,
                            &it->user_room, limit);
    if (!is_all(&it->texts[HOSTS]))
        allot__hosts_named(reader, &it->texts[HOSTS], &it->hosts, &limit->host_count,
                           &it->host_room);
    limit->hosts = it->hosts;
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

/* Slots on a processor, in thousandths; -1: it cannot be, which is said. */
static int64_t per_processor(allot__doc *doc, const allot__value *value, int32_t per)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    size_t len;
    const char *text = allot__doc_text(doc, value->number, &len);
    int64_t most = allot__thousandths(text, len);
    if (most < 0)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found the number %s, allowed a number 0 ... %d",
                         allot__doc_quote(doc, allot__at(value->number), quote),
                         ALLOT_AMOUNT_MAX / 1000);
    if ((per & ALLOT_PER_HOST) != 0)
        return most;
    allot__doc_fault(doc, allot__at_key(value->number), "E-missing",
                     "add \"per_host\": true, or the hosts' names",
                     "slots_per_processor is of each host: \"per_host\" is missing");
    return -1;
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
    naming it = {0};
    char name[24];
    int64_t faults = reader->doc.faults;
    cJSON *node;
    if (allot__object_read(&reader->doc, object, &limit_shape, values, &node))
        return;
    snprintf(name, sizeof name, "limit %d", (int)place + 1);
    limit.name = values[NAME].kind != 0 ? values[NAME].string : name;
    find_names(reader, values, &it, &limit);
    add_limits(reader, object, values, &limit, faults);
    end_naming(&reader->doc, &it);
    cJSON_Delete(node);
}

/* ---- What hosts allow each user -------------------------------------------------------------- */

/* Hosts that state jl_u: those that state the same are one limit, of each host by itself. */
typedef struct allowed {
    const char *host;
    uint32_t number; /* the value; 0: its limit is there */
    int64_t most;
} allowed;

static void read_allowed(allot__plan_reader *reader, const cJSON *host, allowed *list,
                         int32_t *count)
{
    static const allot__field field = {"jl_u", ALLOT__LIMIT};
    uint32_t object = (uint32_t)host->valueint;
    bool known = object != 0 && allot__doc_first(&reader->doc, object) == '{' &&
                 allot_plan_host_find(reader->plan, host->string) >= 0;
    uint32_t number = known ? allot__doc_member(&reader->doc, object, "jl_u") : 0;
    cJSON *node;
    if (number == 0 || allot__doc_parse(&reader->doc, number, &node))
        return;
    allot__value value = allot__value_read(&reader->doc, node, &field);
    if (value.kind == ALLOT__INTEGER)
        list[(*count)++] = (allowed){host->string, number, value.integer};
    cJSON_Delete(node);
}

/* The limit of entry i and of those behind it that say the same; `hosts` has room for all. */
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
    cJSON *node;
    if (top->kind == 0 || allot__doc_parse(doc, top->number, &node))
        return;
    size_t room = (size_t)cJSON_GetArraySize(node);
    allowed *list = allot__block_new(doc, room, sizeof *list);
    const char **hosts = allot__block_new(doc, room, sizeof *hosts);
    for (const cJSON *it = node->child; it && list && hosts; it = it->next)
        read_allowed(reader, it, list, &count);
    for (int32_t i = 0; i < count; i++)
        if (list[i].number != 0)
            add_allowed(reader, list, count, i, hosts);
    allot__block_free(doc, list, room, sizeof *list);
    allot__block_free(doc, hosts, room, sizeof *hosts);
    cJSON_Delete(node);
}

void allot__limits_read(allot__plan_reader *reader)
{
    const allot__value *list = &reader->top[ALLOT__PLAN_LIMITS];
    allot__doc *doc = &reader->doc;
    int32_t place = 0;
    if (!allot__plan_states(reader, ALLOT__PLAN_QUEUES))
        return;
    uint32_t end = list->kind != 0 ? allot__doc_end(doc, list->number) : 0;
    for (uint32_t item = list->number + 1; item < end; item = allot__doc_next(doc, item)) {
        if (allot__kind_check(doc, item, ALLOT__OBJECT))
            read_limit(reader, item, place);
        place++;
    }
    read_host_limits(reader);
}

void allot__objects_add(allot__doc *doc, allot__objects *objects, uint32_t number)
{
    size_t size = sizeof *objects->numbers;
    if (objects->count == objects->room) {
        size_t more = objects->room + objects->room / 2 + 16;
        void *grown =
            allot_engine_alloc(doc->engine, objects->numbers, objects->room * size, more * size);
        if (!grown) {
            allot__doc_keep(doc, ALLOT_ENOMEM);
            return;
        }
        objects->numbers = grown;
        objects->room = more;
    }
    objects->numbers[objects->count++] = number;
}
