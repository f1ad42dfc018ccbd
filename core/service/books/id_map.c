/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* id_map.c: who has which number under one plan, and under another, by names. */
#include "service/books/id_map.h"

#include <string.h>

#include <allot/allot.h>

#include "base/memory.h"
#include "base/path.h"

/* ---- Consumers ------------------------------------------------------------------------------- */

static bool is_there(const allot_plan *to, int32_t guess, int32_t parent, const char *name)
{
    return guess < allot_plan_consumers(to) && allot_plan_parent(to, guess) == parent &&
           strcmp(allot_plan_name(to, guess), name) == 0;
}

static int32_t find_path(const allot__id_map *it, int32_t consumer, allot__text *path)
{
    allot__text_clear(path, SIZE_MAX);
    allot__text_json_path(path, it->from, consumer);
    /* In quotes. */
    return path->failed ? -1 : allot_plan_find(it->to, path->bytes + 1, path->len - 2);
}

/* Parents come before their children. Where nothing was added or taken out before, a consumer
 * stands behind the one that stood before it. */
static int find_consumers(allot__id_map *it)
{
    allot__text path = {.engine = it->engine};
    int32_t guess = 0;
    for (int32_t i = 0; i < it->count[ALLOT__CONSUMER]; i++) {
        int32_t above = allot_plan_parent(it->from, i), found = -1;
        int32_t parent = above == ALLOT_ROOT ? ALLOT_ROOT : it->of[ALLOT__CONSUMER][above];
        if (above != ALLOT_ROOT && parent < 0)
            found = -1;
        else if (is_there(it->to, guess, parent, allot_plan_name(it->from, i)))
            found = guess;
        else
            found = find_path(it, i, &path);
        bool leaf = found >= 0 && allot_plan_children(it->to, found) == 0;
        it->of[ALLOT__CONSUMER][i] = found;
        it->of[ALLOT__LEAF][i] = leaf ? found : -1;
        it->same = it->same && found == i && leaf == (allot_plan_children(it->from, i) == 0);
        guess = found >= 0 ? found + 1 : guess;
    }
    bool failed = path.failed;
    allot__text_free(&path);
    return failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void set(allot__id_map *it, allot__numbered kind, int32_t i, int32_t found)
{
    it->of[kind][i] = found;
    it->same = it->same && found == i;
}

/* Where a plan has one group, nobody names it. */
static void find_groups(allot__id_map *it)
{
    bool one = it->count[ALLOT__GROUP] == 1, there = allot_plan_groups(it->to) == 1;
    for (int32_t i = 0; i < it->count[ALLOT__GROUP]; i++) {
        const char *name = allot_plan_group_name(it->from, i);
        int32_t found = one ? (there ? 0 : -1) : allot_plan_group_find(it->to, name, strlen(name));
        set(it, ALLOT__GROUP, i, found);
    }
}

static void find_attributes(allot__id_map *it)
{
    for (int32_t i = 0; i < it->count[ALLOT__ATTRIBUTE]; i++) {
        allot_attribute mine, theirs;
        int32_t found = -1;
        allot_plan_task_attribute_at(it->from, i, &mine);
        for (int32_t k = 0; allot_plan_task_attribute_at(it->to, k, &theirs) == ALLOT_OK; k++)
            if (strcmp(mine.name, theirs.name) == 0) {
                found = k;
                it->least[i] = (int32_t)theirs.min;
                it->most[i] = (int32_t)theirs.max;
                it->same = it->same && theirs.min <= mine.min && theirs.max >= mine.max;
            }
        set(it, ALLOT__ATTRIBUTE, i, found);
    }
}

static void find_contracts(allot__id_map *it)
{
    allot_queue queue;
    allot_lease lease;
    allot_resource resource;
    for (int32_t i = 0; allot_plan_queue_at(it->from, i, &queue) == ALLOT_OK; i++)
        set(it, ALLOT__QUEUE, i, allot_plan_queue_find(it->to, queue.name));
    for (int32_t i = 0; allot_plan_lease_at(it->from, i, &lease) == ALLOT_OK; i++)
        set(it, ALLOT__LEASE, i, allot_plan_lease_find(it->to, lease.name));
    for (int32_t i = 0; allot_plan_resource_at(it->from, i, &resource) == ALLOT_OK; i++)
        set(it, ALLOT__RESOURCE, i, allot_plan_resource_find(it->to, resource.name));
}

static void compare_rest(allot__id_map *it)
{
    for (int32_t i = 0; it->same && i < allot_plan_hosts(it->from); i++)
        it->same = allot_plan_host_find(it->to, allot_plan_host_name(it->from, i)) >= 0;
    it->same = it->same && it->count[ALLOT__GROUP] == allot_plan_groups(it->to) &&
               (it->count[ALLOT__QUEUE] > 0) == (allot_plan_queues(it->to) > 0);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static size_t room(int32_t count)
{
    return (size_t)count + 1;
}

static int make(allot__id_map *it)
{
    const allot_plan *from = it->from;
    const int32_t count[ALLOT__NUMBERED] = {
        allot_plan_consumers(from),       allot_plan_consumers(from), allot_plan_groups(from),
        allot_plan_task_attributes(from), allot_plan_queues(from),    allot_plan_leases(from),
        allot_plan_resources(from)};
    bool made = true;
    memcpy(it->count, count, sizeof count);
    for (int i = 0; i < ALLOT__NUMBERED; i++) {
        it->of[i] = allot__new(it->engine, room(count[i]), sizeof *it->of[i]);
        made = made && it->of[i];
    }
    it->least = allot__new(it->engine, room(count[ALLOT__ATTRIBUTE]), sizeof *it->least);
    it->most = allot__new(it->engine, room(count[ALLOT__ATTRIBUTE]), sizeof *it->most);
    return made && it->least && it->most ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__id_map_new(allot_engine *engine, const allot_plan *from, const allot_plan *to,
                      allot__id_map **out)
{
    allot__id_map *it = allot__new(engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (allot__id_map){.engine = engine, .from = from, .to = to, .same = true};
    int status = make(it);
    if (status == ALLOT_OK)
        status = find_consumers(it);
    if (status != ALLOT_OK) {
        allot__id_map_free(it);
        return status;
    }
    find_groups(it);
    find_attributes(it);
    find_contracts(it);
    compare_rest(it);
    *out = it;
    return ALLOT_OK;
}

void allot__id_map_free(allot__id_map *ids)
{
    if (!ids)
        return;
    allot_engine *engine = ids->engine;
    for (int i = 0; i < ALLOT__NUMBERED; i++)
        allot__free(engine, ids->of[i], room(ids->count[i]), sizeof *ids->of[i]);
    allot__free(engine, ids->least, room(ids->count[ALLOT__ATTRIBUTE]), sizeof *ids->least);
    allot__free(engine, ids->most, room(ids->count[ALLOT__ATTRIBUTE]), sizeof *ids->most);
    allot__free(engine, ids, 1, sizeof *ids);
}
