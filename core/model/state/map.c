/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* map.c: maps numbers of one plan to those of another, by name. */
#include <string.h>

#include <allot/stated.h>

#include "model/jobs/queue.h"
#include "model/plan/plan.h"

static bool is_there(const allot_plan *to, int32_t number, int32_t parent, const char *name)
{
    return number < to->tree.rows && allot_plan_parent(to, number) == parent &&
           strcmp(allot_plan_name(to, number), name) == 0;
}

/* Tries the place after the previous consumer's first: right unless one was added or removed. */
static void find_consumers(allot_plan_map *it)
{
    const allot_plan *from = it->from, *to = it->to;
    int32_t guess = 0;
    for (int32_t i = 0; i < from->tree.rows; i++) {
        int32_t above = allot_plan_parent(from, i), *found = &it->consumers[i];
        int32_t parent = above == ALLOT_ROOT ? ALLOT_ROOT : it->consumers[above];
        const char *name = allot_plan_name(from, i);
        if (above != ALLOT_ROOT && parent < 0)
            *found = -1;
        else if (is_there(to, guess, parent, name))
            *found = guess;
        else
            *found = allot__names_find(to->names, parent, name, strlen(name));
        it->same = it->same && *found == i &&
                   (allot_plan_children(from, i) > 0) == (allot_plan_children(to, i) > 0);
        guess = *found >= 0 ? *found + 1 : guess;
    }
}

static void find_others(allot_plan_map *it)
{
    const allot_plan *from = it->from, *to = it->to;
    allot_attribute mine, theirs;
    allot_resource resource;
    bool one = from->group_count == 1 && to->group_count == 1; /* then its name does not matter */
    for (int32_t i = 0; i < from->group_count; i++) {
        const char *name = allot_plan_group_name(from, i);
        it->groups[i] = one ? 0 : allot_plan_group_find(to, name, strlen(name));
        it->same = it->same && it->groups[i] == i;
    }
    for (int32_t i = 0; allot_plan_task_attribute_at(from, i, &mine) == ALLOT_OK; i++) {
        it->attributes[i] = -1;
        for (int32_t k = 0; allot_plan_task_attribute_at(to, k, &theirs) == ALLOT_OK; k++)
            if (strcmp(mine.name, theirs.name) == 0) {
                it->attributes[i] = k;
                it->same = it->same && theirs.type == mine.type && theirs.min <= mine.min &&
                           theirs.max >= mine.max;
            }
        it->same = it->same && it->attributes[i] == i;
    }
    for (int32_t i = 0; allot_plan_resource_at(from, i, &resource) == ALLOT_OK; i++)
        it->same = it->same && allot_plan_resource_find(to, resource.name) == i;
    it->same = it->same && from->group_count == to->group_count &&
               (allot__queue_count(from) > 0) == (allot__queue_count(to) > 0);
}

/* At least 1, so that no block is empty. */
static size_t room(int32_t count)
{
    return (size_t)count + 1;
}

int allot_plan_map_new(allot_engine *engine, const allot_plan *from, const allot_plan *to,
                       allot_plan_map **out)
{
    allot_plan_map *it = allot__new(engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (allot_plan_map){.from = from,
                           .to = to,
                           .consumer_count = from->tree.rows,
                           .group_count = from->group_count,
                           .attribute_count = allot_plan_task_attributes(from),
                           .same = true};
    it->consumers = allot__new(engine, room(it->consumer_count), sizeof *it->consumers);
    it->groups = allot__new(engine, room(it->group_count), sizeof *it->groups);
    it->attributes = allot__new(engine, room(it->attribute_count), sizeof *it->attributes);
    if (!it->consumers || !it->groups || !it->attributes) {
        allot_plan_map_free(engine, it);
        return ALLOT_ENOMEM;
    }
    find_consumers(it);
    find_others(it);
    *out = it;
    return ALLOT_OK;
}

void allot_plan_map_free(allot_engine *engine, allot_plan_map *map)
{
    if (!map)
        return;
    allot__free(engine, map->consumers, room(map->consumer_count), sizeof *map->consumers);
    allot__free(engine, map->groups, room(map->group_count), sizeof *map->groups);
    allot__free(engine, map->attributes, room(map->attribute_count), sizeof *map->attributes);
    allot__free(engine, map, 1, sizeof *map);
}
