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

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Where a plan has one group, nobody names it. */
static void find_groups(allot__id_map *it)
{
    bool one = it->count[ALLOT__GROUP] == 1, there = allot_plan_groups(it->to) == 1;
    for (int32_t i = 0; i < it->count[ALLOT__GROUP]; i++) {
        const char *name = allot_plan_group_name(it->from, i);
        int32_t found = one ? (there ? 0 : -1) : allot_plan_group_find(it->to, name, strlen(name));
        it->of[ALLOT__GROUP][i] = found;
        it->same = it->same && found == i;
    }
}

/* Policies may say otherwise what tasks may have. */
static bool same_attributes(const allot_plan *from, const allot_plan *to)
{
    allot_attribute mine, theirs;
    bool same = true;
    for (int32_t i = 0; allot_plan_task_attribute_at(from, i, &mine) == ALLOT_OK && same; i++)
        same = allot_plan_task_attribute_at(to, i, &theirs) == ALLOT_OK &&
               strcmp(mine.name, theirs.name) == 0 && theirs.min <= mine.min &&
               theirs.max >= mine.max;
    return same;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static size_t room(int32_t count)
{
    return (size_t)count + 1;
}

static int make(allot__id_map *it)
{
    const allot_plan *from = it->from;
    const int32_t count[ALLOT__NUMBERED] = {allot_plan_consumers(from), allot_plan_consumers(from),
                                            allot_plan_groups(from)};
    bool made = true;
    memcpy(it->count, count, sizeof count);
    for (int i = 0; i < ALLOT__NUMBERED; i++) {
        it->of[i] = allot__new(it->engine, room(count[i]), sizeof *it->of[i]);
        made = made && it->of[i];
    }
    return made ? ALLOT_OK : ALLOT_ENOMEM;
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
    it->same =
        it->same && allot_plan_groups(from) == allot_plan_groups(to) && same_attributes(from, to);
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
    allot__free(engine, ids, 1, sizeof *ids);
}
