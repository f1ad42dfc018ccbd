/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* leaf.c: reads the leaves of a truth, and the sizes of groups. */
#include <stdio.h>

#include "service/events/fields.h"
#include "service/sync/truth.h"

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

/* Reads a member of `consumers`, after its key. */
static int read_leaf(walk *it)
{
    const allot_member field = {.name = "consumer", .type = ALLOT_MEMBER_LEAF};
    char name[256];
    int32_t consumer = ALLOT_ROOT, depth = it->now.depth;
    snprintf(name, sizeof name, "%s", it->now.text);
    int status =
        allot__name_find(it->truth->plan, &field, it->now.text, it->now.len, &consumer, it->error);
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
    it->leaves = allot__new(truth->engine, groups, sizeof *it->leaves);
    if (!it->leaves)
        return ALLOT_ENOMEM;
    int status = allot_json_open(truth->engine, value.at, value.len, NULL, 1, 0, NULL, &it->json);
    if (status == ALLOT_OK)
        allot_json_next(it->json, &it->now);
    return status;
}

static void walk_end(walk *it)
{
    allot_json_close(it->json);
    allot__free(it->truth->engine, it->leaves, (size_t)allot_plan_groups(it->truth->plan),
                sizeof *it->leaves);
}

int allot__truth_leaves(allot__truth *truth, allot__truth_list list, allot__span value)
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
    walk_end(&it);
    return status;
}

int allot__truth_slots(allot__truth *truth, allot__truth_list list, allot__span value)
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
    walk_end(&it);
    return status == ALLOT_ENOMEM ? status : ALLOT_OK;
}
