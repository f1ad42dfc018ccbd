/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* truth.c: a truth, and its rows: hosts, sessions, tasks and jobs, leaves, sizes of groups; those
 * that are dropped. */
#include <stdio.h>

#include "service/events/event.h"
#include "service/sync/own.h"

enum { DROPS_TOLD = 1000 };

/* ---- Its life -------------------------------------------------------------------------------- */

int allot__truth_new(allot_engine *engine, const allot_plan *plan, int64_t now, allot__truth **out)
{
    allot__truth *truth = allot__new(engine, 1, sizeof *truth);
    if (!truth)
        return ALLOT_ENOMEM;
    truth->engine = truth->dropped.engine = engine;
    truth->plan = plan;
    truth->now = truth->at = now;
    if (allot__event_reader_new(engine, &truth->reader) != ALLOT_OK) {
        allot__free(engine, truth, 1, sizeof *truth);
        return ALLOT_ENOMEM;
    }
    allot__arena_init(&truth->arena, engine);
    *out = truth;
    return ALLOT_OK;
}

void allot__truth_free(allot__truth *truth)
{
    if (!truth)
        return;
    for (int list = 0; list < ALLOT__TRUTH_LISTS; list++)
        allot__vector_free(truth->engine, &truth->rows[list]);
    allot__arena_free(&truth->arena);
    allot__text_free(&truth->dropped);
    allot__event_reader_free(truth->reader);
    allot_report_free(truth->newcomers);
    allot__free(truth->engine, truth, 1, sizeof *truth);
}

char *allot__truth_copy(allot__truth *truth, const char *text, size_t len)
{
    char *copy = allot__arena_take(&truth->arena, len + 1, 1);
    if (!copy)
        return NULL;
    copy[len] = '\0';
    return memcpy(copy, text, len);
}

/* Whether a value is an empty list or object. Either may stand for the other, since Lua has one
 * kind of empty table. */
static bool is_empty(allot__span value)
{
    bool bracket = value.at[0] == '[' || value.at[0] == '{';
    return bracket && strchr("]}", *allot__span_blank(value.at + 1, value.at + value.len));
}

/* ---- Rows that are left out ------------------------------------------------------------------ */

void allot__truth_drop(allot__truth *truth, allot__truth_list list, int64_t place, const char *name,
                       const allot__error *error)
{
    allot__text *out = &truth->dropped;
    if (truth->dropped_count++ >= DROPS_TOLD)
        return;
    allot__text_puts(out, out->len > 0 ? ", {" : "{");
    allot__text_key(out, "row");
    if (place >= 0)
        allot__text_printf(out, "\"%s[%lld]\"", allot__truth_kinds[list].name, (long long)place);
    else
        allot__text_json(out, allot__truth_kinds[list].name);
    allot__text_member(out, place >= 0 ? "id" : "name", name);
    allot__text_open(out, "error", "{");
    ALLOT__MEMBERS(out, "code path message hint", error->code, error->path, error->message,
                   error->hint);
    allot__text_puts(out, "}}");
}

/* ---- Rows that are wrong --------------------------------------------------------------------- */

/* The value of a row's member of that name, a string or a whole number, as text; false: there is
 * none, or ENOMEM (the row is dropped all the same). */
static bool name_of(const allot__truth *truth, const allot__truth_row *row, const char *key,
                    char out[256])
{
    allot_json *json;
    allot_json_event event = {0};
    bool found = false;
    if (allot_json_open(truth->engine, row->text, row->len, NULL, 1, 0, NULL, &json) != ALLOT_OK)
        return false;
    while (!found && allot_json_next(json, &event))
        found = event.kind == ALLOT_JSON_KEY && event.depth == 1 && strcmp(event.text, key) == 0;
    if (found)
        allot_json_next(json, &event);
    if (found && event.kind == ALLOT_JSON_TEXT && event.len < 256)
        memcpy(out, event.text, event.len + 1);
    else if (found && event.kind == ALLOT_JSON_WHOLE)
        snprintf(out, 256, "%lld", (long long)event.whole);
    else
        found = false;
    allot_json_close(json);
    return found;
}

/* The thing named by a wrong row stays unchanged; so the name is kept. */
static int spare(allot__truth *truth, allot__truth_list list, const allot__truth_row *like,
                 const allot__error *error)
{
    bool host = list == ALLOT__TRUTH_HOSTS;
    char name[256];
    bool named = name_of(truth, like, host ? "name" : "id", name);
    allot__truth_drop(truth, list, host ? -1 : (int64_t)like->place, named ? name : NULL, error);
    if (!named)
        return ALLOT_OK;
    allot__truth_row *row = allot__push(truth->engine, &truth->rows[list], sizeof *row);
    if (!row)
        return ALLOT_ENOMEM;
    *row = *like;
    row->verdict = ALLOT__TRUTH_DROPPED;
    row->name = allot__truth_copy(truth, name, strlen(name));
    row->hash = allot__map_hash(name, strlen(name));
    return row->name ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Hosts, sessions, tasks, jobs ------------------------------------------------------------ */

static int make_task(const allot__truth *truth, const allot__event *event, allot_task *task,
                     allot__error *error)
{
    int status = allot__event_task_new(truth->plan, event, task, error);
    if (status == ALLOT_OK && allot__event_said(event, "adopt"))
        status = allot__error_set(error, ALLOT_EINVALID, "E-unknown-key", "adopt", NULL,
                                  "adopt: tasks of a truth run, whatever was allocated");
    return status;
}

/* Keeps a copy of an item, behind it what it points to. */
static int keep_item(allot__truth *truth, const allot_members *members, const void *item,
                     allot__truth_row *row)
{
    size_t own = (members->size + 7) & ~(size_t)7;
    char *copy = allot__arena_take(&truth->arena, own + allot_item_room(members, item), 1);
    if (!copy)
        return ALLOT_ENOMEM;
    allot_item_copy(members, item, copy, copy + own);
    row->item = copy;
    memcpy(&row->name, copy, sizeof row->name); /* the first member of each */
    row->hash = allot__map_hash(row->name, strlen(row->name));
    return ALLOT_OK;
}

static int make_item(allot__truth *truth, const allot__event *event, allot__truth_row *row,
                     allot__error *error)
{
    allot_item kind = allot__event_item(event->kind);
    const void *item = &event->id;
    allot_task task;
    int status = ALLOT_OK;
    if (kind == ALLOT_ITEM_TASK) {
        status = make_task(truth, event, &task, error);
        row->started = allot__event_said(event, "started") != NULL;
        item = &task;
    }
    if (status != ALLOT_OK)
        return status;
    row->stated = event->stated;
    return keep_item(truth, allot_members_of(kind), item, row);
}

/* Refuses a time or key in a row of a truth. */
static int check_common(const allot__truth *truth, allot__event *event, allot__error *error)
{
    if (event->at_given || event->key)
        return allot__error_set(error, ALLOT_EINVALID, "E-unknown-key", event->key ? "key" : "at",
                                NULL, "%s: the call has one for all of its rows",
                                event->key ? "key" : "at");
    event->at = truth->at;
    return allot__event_times(event, truth->now, error);
}

static int read_item(allot__truth *truth, allot__truth_list list, allot__truth_row *row)
{
    allot__event event;
    allot__error error = {.message = ""};
    int status = allot__event_read(truth->reader, truth->plan, allot__truth_kinds[list].put,
                                   ALLOT__CLIENT, row->text, row->len, &event, &error);
    if (status == ALLOT_OK)
        status = check_common(truth, &event, &error);
    if (status == ALLOT_OK)
        status = make_item(truth, &event, row, &error);
    if (status != ALLOT_OK)
        return status == ALLOT_ENOMEM ? status : spare(truth, list, row, &error);
    allot__truth_row *kept = allot__push(truth->engine, &truth->rows[list], sizeof *kept);
    if (!kept)
        return ALLOT_ENOMEM;
    *kept = *row;
    return ALLOT_OK;
}

static int read_items(allot__truth *truth, allot__truth_list list, allot__span value)
{
    const char *at = value.at, *end = value.at + value.len;
    allot__span item;
    int status = ALLOT_OK;
    for (uint32_t place = 0; status == ALLOT_OK && allot__span_item(&at, end, &item); place++) {
        allot__truth_row row = {.text = item.at, .len = (uint32_t)item.len, .place = place};
        status = read_item(truth, list, &row);
    }
    return status;
}

/* {"h1": {...}} in the form of the event: {"name": "h1", ...}. */
static int put_name(allot__truth *truth, allot__span name, allot__span value, allot__truth_row *row)
{
    static const char head[] = "{\"name\": \"";
    allot__span rest = {value.at + 1, value.len - 1};
    bool empty = value.at[0] != '{' || is_empty(value);
    size_t len = sizeof head - 1 + name.len + 1 + (empty ? 1 : 2 + rest.len);
    char *text = allot__arena_take(&truth->arena, len, 1);
    if (!text)
        return ALLOT_ENOMEM;
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, name.at, name.len);
    char *at = text + sizeof head - 1 + name.len;
    memcpy(at, empty ? "\"}" : "\", ", empty ? 2 : 3);
    if (!empty)
        memcpy(at + 3, rest.at, rest.len);
    row->text = text;
    row->len = (uint32_t)len;
    return ALLOT_OK;
}

static int read_hosts(allot__truth *truth, allot__truth_list list, allot__span value)
{
    const char *at = value.at, *end = value.at + value.len;
    allot__span name, item;
    allot__error error;
    int status = ALLOT_OK;
    while (status == ALLOT_OK && allot__span_member(&at, end, &name, &item)) {
        allot__truth_row row = {.text = item.at};
        status = put_name(truth, name, item, &row);
        if (status == ALLOT_OK && (item.at[0] == '{' || is_empty(item))) {
            status = read_item(truth, list, &row);
        } else if (status == ALLOT_OK) {
            allot__error_set(&error, ALLOT_EINVALID, "E-type", "hosts", NULL,
                             "found %.*s, allowed an object, as {\"slots\": 4}",
                             (int)(item.len < 40 ? item.len : 40), item.at);
            status = spare(truth, list, &row, &error);
        }
    }
    return status;
}

enum { DEMAND, ALLOCATED, UNLISTED, NUMBERS };
static const char *const numbers[] = {"demand", "allocated", "unlisted"};

static int64_t *number_of(allot__truth_leaf *leaf, int which)
{
    return which == DEMAND      ? &leaf->demand
           : which == ALLOCATED ? &leaf->allocated
                                : &leaf->unlisted;
}

/* Reads a leaf's row by a walk over its JSON; the functions see one JSON event each. */
typedef struct walk {
    allot__truth *truth;
    allot_json *json;
    allot_json_event now;
    allot__error *error;
    allot__truth_leaf *leaves; /* by group */
} walk;

static int refuse(const walk *it, const char *path)
{
    bool range = it->now.kind == ALLOT_JSON_WHOLE;
    char found[80];
    if (range)
        snprintf(found, sizeof found, "%lld", (long long)it->now.whole);
    else
        snprintf(found, sizeof found, "%s",
                 it->now.kind == ALLOT_JSON_TEXT ? it->now.text : "something else");
    return allot__error_set(
        it->error, range ? ALLOT_ERANGE : ALLOT_EINVALID, range ? "E-range" : "E-type", path, NULL,
        "%s: found %.60s, allowed a whole number 0 ... %d%s", path, found, ALLOT_AMOUNT_MAX,
        allot_plan_groups(it->truth->plan) > 1 ? " for each group" : "");
}

static int read_amount(walk *it, const char *path, int which, int32_t group)
{
    if (it->now.kind != ALLOT_JSON_WHOLE || it->now.whole < 0 || it->now.whole > ALLOT_AMOUNT_MAX)
        return refuse(it, path);
    *number_of(&it->leaves[group], which) = it->now.whole;
    return ALLOT_OK;
}

/* One number, or one for each group. */
static int read_number(walk *it, const char *path, int which)
{
    const allot_plan *plan = it->truth->plan;
    int status = ALLOT_OK;
    if (it->now.kind != ALLOT_JSON_OBJECT)
        return allot_plan_groups(plan) > 1 ? refuse(it, path) : read_amount(it, path, which, 0);
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind == ALLOT_JSON_KEY) {
        int32_t group = allot_plan_group_find(plan, it->now.text, it->now.len);
        if (group < 0)
            return allot__error_set(it->error, ALLOT_ENOENT, "E-unknown-group", path, NULL,
                                    "%s: the plan has no group \"%.100s\"", path, it->now.text);
        allot_json_next(it->json, &it->now);
        status = read_amount(it, path, which, group);
    }
    return status;
}

static int unknown_number(const walk *it)
{
    char hint[120] = "";
    const char *near = allot_nearest(it->now.text, it->now.len, numbers, NUMBERS);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(it->error, ALLOT_EINVALID, "E-unknown-key", it->now.text, hint,
                            "\"%.80s\" is no member of a leaf", it->now.text);
}

static int read_members(walk *it)
{
    int status = ALLOT_OK;
    bool list = it->now.kind == ALLOT_JSON_LIST;
    if (list && allot_json_next(it->json, &it->now) && it->now.kind == ALLOT_JSON_LIST_END)
        return ALLOT_OK; /* empty, as in allot__truth_empty */
    if (list || it->now.kind != ALLOT_JSON_OBJECT)
        return allot__error_set(it->error, ALLOT_EINVALID, "E-type", "consumers", NULL,
                                "a leaf is an object, as {\"demand\": 4}");
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind == ALLOT_JSON_KEY) {
        int which = 0;
        while (which < NUMBERS && strcmp(it->now.text, numbers[which]) != 0)
            which++;
        if (which == NUMBERS)
            return unknown_number(it);
        if (*number_of(&it->leaves[0], which) >= 0)
            return allot__error_set(it->error, ALLOT_EINVALID, "E-duplicate-key", numbers[which],
                                    NULL, "\"%s\" stands there twice", numbers[which]);
        allot_json_next(it->json, &it->now);
        status = read_number(it, numbers[which], which);
    }
    return status;
}

static int keep_leaves(allot__truth *truth, allot__truth_list list, const allot__truth_leaf *leaves)
{
    for (int32_t g = 0; g < allot_plan_groups(truth->plan); g++) {
        if (list == ALLOT__TRUTH_SLOTS && leaves[g].allocated < 0)
            continue;
        allot__truth_leaf *row = allot__push(truth->engine, &truth->rows[list], sizeof *row);
        if (!row)
            return ALLOT_ENOMEM;
        *row = leaves[g];
        row->group = g;
    }
    return ALLOT_OK;
}

static void reset(walk *it, int32_t consumer)
{
    for (int32_t g = 0; g < allot_plan_groups(it->truth->plan); g++)
        it->leaves[g] = (allot__truth_leaf){
            .consumer = consumer, .demand = -1, .allocated = -1, .unlisted = -1};
}

static int find_leaf(allot__truth *truth, const char *name, int32_t *out, allot__error *fault)
{
    const allot_plan *plan = truth->plan;
    char near[128] = "", hint[150] = "";
    int32_t consumer = allot_plan_find(plan, name, strlen(name));
    *out = ALLOT_ROOT;
    if (allot_plan_wildcard(plan, name, strlen(name)) >= 0 &&
        ((!truth->newcomers && allot_report_new(truth->engine, &truth->newcomers) != ALLOT_OK) ||
         allot_report_newcomer(truth->newcomers, name) != ALLOT_OK))
        return ALLOT_ENOMEM;
    if (consumer == ALLOT_ROOT) {
        size_t size = allot_plan_nearest(plan, name, strlen(name), near, sizeof near);
        if (size > 0 && size < sizeof near)
            snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", near);
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-path", "consumer", hint,
                                "consumer: the plan has no \"%.100s\"", name);
    }
    if (strcmp(allot_plan_name(plan, consumer), ALLOT_WILDCARD) == 0 &&
        allot_plan_queues(plan) == 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-wildcard", "consumer", NULL,
                                "consumer: \"%.100s\" stands for others, allowed are their names",
                                name);
    if (allot_plan_children(plan, consumer) > 0)
        return allot__error_set(
            fault, ALLOT_EINVALID, "E-not-leaf", "consumer", NULL,
            "consumer: \"%.100s\" has consumers below it, allowed is one without", name);
    *out = consumer;
    return ALLOT_OK;
}

/* Reads a member of `consumers`, after its key. */
static int read_leaf(walk *it)
{
    char name[256];
    int32_t consumer, depth = it->now.depth;
    snprintf(name, sizeof name, "%s", it->now.text);
    int status = find_leaf(it->truth, it->now.text, &consumer, it->error);
    reset(it, consumer);
    allot_json_next(it->json, &it->now);
    bool open = it->now.kind == ALLOT_JSON_OBJECT || it->now.kind == ALLOT_JSON_LIST;
    if (status == ALLOT_OK)
        status = read_members(it);
    if (status == ALLOT_OK)
        return keep_leaves(it->truth, ALLOT__TRUTH_LEAVES, it->leaves);
    while (open && !(it->now.depth == depth && (it->now.kind == ALLOT_JSON_OBJECT_END ||
                                                it->now.kind == ALLOT_JSON_LIST_END)))
        allot_json_next(it->json, &it->now);
    allot__truth_drop(it->truth, ALLOT__TRUTH_LEAVES, -1, name, it->error);
    if (consumer == ALLOT_ROOT || status == ALLOT_ENOMEM)
        return status == ALLOT_ENOMEM ? status : ALLOT_OK;
    for (int32_t g = 0; g < allot_plan_groups(it->truth->plan); g++)
        it->leaves[g].dropped = true;
    return keep_leaves(it->truth, ALLOT__TRUTH_LEAVES, it->leaves);
}

static int walk_begin(walk *it, allot__truth *truth, allot__span value)
{
    *it = (walk){.truth = truth, .error = &truth->fault};
    size_t groups = (size_t)allot_plan_groups(truth->plan);
    it->leaves = allot__arena_zeroed(&truth->arena, groups, sizeof *it->leaves);
    if (!it->leaves)
        return ALLOT_ENOMEM;
    int status = allot_json_open(truth->engine, value.at, value.len, NULL, 1, 0, NULL, &it->json);
    if (status == ALLOT_OK)
        allot_json_next(it->json, &it->now);
    return status;
}

static int read_leaves(allot__truth *truth, allot__truth_list list, allot__span value)
{
    (void)list;
    allot__error error;
    walk it;
    int status = walk_begin(&it, truth, value);
    it.error = &error;
    while (status == ALLOT_OK && allot_json_next(it.json, &it.now) &&
           it.now.kind == ALLOT_JSON_KEY) {
        error = (allot__error){.message = ""};
        status = read_leaf(&it);
    }
    allot_json_close(it.json);
    return status;
}

static int read_slots(allot__truth *truth, allot__truth_list list, allot__span value)
{
    walk it;
    int status = walk_begin(&it, truth, value);
    if (status == ALLOT_OK) {
        reset(&it, ALLOT_ROOT);
        status = read_number(&it, "slots", ALLOCATED);
    }
    if (status == ALLOT_OK)
        status = keep_leaves(truth, list, it.leaves);
    else if (status != ALLOT_ENOMEM)
        allot__truth_drop(truth, list, -1, NULL, &truth->fault);
    allot_json_close(it.json);
    return status == ALLOT_ENOMEM ? status : ALLOT_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

const allot__truth_kind allot__truth_kinds[ALLOT__TRUTH_LISTS] = {
    [ALLOT__TRUTH_SLOTS] = {"slots", NULL, '\0', 0, read_slots, 0, 0},
    [ALLOT__TRUTH_HOSTS] = {"hosts", "an object, {name: {...}}", '{', 0, read_hosts,
                            ALLOT__EVENT_HOST, ALLOT__EVENT_HOST_GONE},
    [ALLOT__TRUTH_SESSIONS] = {"sessions", "a list of objects", '[', -1, read_items,
                               ALLOT__EVENT_SESSION, ALLOT__EVENT_SESSION_END},
    [ALLOT__TRUTH_TASKS] = {"tasks", "a list of objects", '[', -1, read_items, ALLOT__EVENT_START,
                            ALLOT__EVENT_FINISH},
    [ALLOT__TRUTH_JOBS] = {"jobs", "a list of objects", '[', 1, read_items, ALLOT__EVENT_SUBMIT,
                           ALLOT__EVENT_FINISH},
    [ALLOT__TRUTH_LEAVES] = {"consumers", "an object, {path: {...}}", '{', -1, read_leaves, 0, 0},
};

static bool is_fit(const allot__truth_kind *kind, allot__span value)
{
    return kind->opens == '\0' || value.at[0] == kind->opens || is_empty(value);
}

static int check_list(allot__truth *truth, const allot__truth_kind *kind, allot__span value,
                      bool twice)
{
    bool queues = allot_plan_queues(truth->plan) > 0;
    if (twice)
        return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-duplicate-key", kind->name, NULL,
                                "\"%s\" stands there twice", kind->name);
    if (!is_fit(kind, value))
        return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-type", kind->name, NULL,
                                "%s: found %.*s, allowed %s", kind->name,
                                (int)(value.len < 40 ? value.len : 40), value.at, kind->allowed);
    if ((kind->queues > 0 && !queues) || (kind->queues < 0 && queues))
        return allot__error_set(&truth->fault, ALLOT_EUSAGE, "E-queues", kind->name, NULL,
                                "%s: the plan has %s", kind->name, queues ? "queues" : "no queues");
    return ALLOT_OK;
}

static int unknown_member(allot__truth *truth, const allot__span *name)
{
    static const char *const names[] = {"slots",     "hosts", "sessions", "tasks",  "jobs",
                                        "consumers", "at",    "key",      "source", "brief"};
    char hint[120] = "", found[84];
    snprintf(found, sizeof found, "%.*s", (int)(name->len < 80 ? name->len : 80), name->at);
    const char *near = allot_nearest(found, strlen(found), names, sizeof names / sizeof *names);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-unknown-key", found, hint,
                            "\"%s\" is no parameter of \"sync\"", found);
}

static bool is_head(const allot__span *name)
{
    return allot__span_is(name, "source") || allot__span_is(name, "at") ||
           allot__span_is(name, "key") || allot__span_is(name, "brief");
}

/* Finds the lists; copies the other members to an object of their own. */
static int split(allot__truth *truth, allot__span params, allot__span *lists, allot__text *head)
{
    const char *at = params.at, *end = params.at + params.len;
    allot__span name, value;
    int status = ALLOT_OK;
    allot__text_puts(head, "{");
    while (status == ALLOT_OK && allot__span_member(&at, end, &name, &value)) {
        int list = 0;
        while (list < ALLOT__TRUTH_LISTS && !allot__span_is(&name, allot__truth_kinds[list].name))
            list++;
        if (list < ALLOT__TRUTH_LISTS) {
            status = check_list(truth, &allot__truth_kinds[list], value, lists[list].at != NULL);
            lists[list] = value;
        } else if (is_head(&name)) {
            allot__text_puts(head, head->len > 1 ? ", \"" : "\"");
            allot__text_add(head, name.at, name.len);
            allot__text_puts(head, "\": ");
            allot__text_add(head, value.at, value.len);
        } else {
            status = unknown_member(truth, &name);
        }
    }
    allot__text_puts(head, "}");
    return head->failed ? ALLOT_ENOMEM : status;
}

static int read_head(allot__truth *truth, const allot__text *head, allot__span params)
{
    allot__event event;
    int status = allot__event_read(truth->reader, truth->plan, ALLOT__EVENT_KEEP_SYNC, ALLOT__STORE,
                                   head->bytes, head->len, &event, &truth->fault);
    if (status == ALLOT_OK)
        status = allot__event_times(&event, truth->now, &truth->fault);
    if (status != ALLOT_OK)
        return status;
    const char *source = event.source ? event.source : ALLOT__TRUTH_ALL;
    truth->source = allot__truth_copy(truth, source, strlen(source));
    truth->key = event.key ? allot__truth_copy(truth, event.key, strlen(event.key)) : NULL;
    if (!truth->source || (event.key && !truth->key))
        return ALLOT_ENOMEM;
    truth->brief = event.keep;
    truth->at_given = event.at_given;
    truth->at = event.at_given ? event.at : truth->now;
    if (truth->key)
        truth->digest = allot__event_keys_content("sync", params.at, params.len);
    return ALLOT_OK;
}

int allot__truth_read(allot__truth *truth, const char *params, size_t len)
{
    allot__span lists[ALLOT__TRUTH_LISTS] = {{NULL, 0}}, all = {params, len};
    allot__text head = {.engine = truth->engine};
    int status = split(truth, all, lists, &head);
    if (status == ALLOT_OK)
        status = read_head(truth, &head, all);
    for (int list = 0; list < ALLOT__TRUTH_LISTS && status == ALLOT_OK; list++) {
        truth->told[list] = lists[list].at != NULL;
        if (lists[list].at)
            status = allot__truth_kinds[list].read(truth, (allot__truth_list)list, lists[list]);
    }
    allot__text_free(&head);
    return truth->dropped.failed ? ALLOT_ENOMEM : status;
}
