/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* joint.c: finds the size at which hosts are used up, and the leaves whose quotas then stay. */
#include "engine/hosts/match.h"

#include <string.h>

#include "engine/quota/quota.h"

typedef struct joint {
    allot__work *work;
    allot__match match;
    int32_t *limit;  /* the work's: of leaves it is lowered */
    int32_t *enough; /* by row: quotas at the largest size that fits */
    uint8_t *tight;  /* by class: it cannot have more */
    int64_t slots;   /* of the group */
} joint;

/* Slots of the group on unknown hosts. */
static int64_t unknown_slots(const allot__work *work)
{
    const allot__group_hosts *hosts = work->hosts;
    int64_t slots = work->slots + hosts->blocked;
    for (int32_t host = 0; host < hosts->count; host++)
        slots -= hosts->slots[host];
    return slots > 0 ? slots : 0;
}

static int begin(joint *it)
{
    allot__work *work = it->work;
    size_t rows = (size_t)work->tree->rows;
    int status = allot__match_make(work, ALLOT__ALL_SLOTS, unknown_slots(work), &it->match);
    if (status != ALLOT_OK)
        return status;
    it->slots = work->slots;
    return ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(rows, it->limit, it->enough),
                           ALLOT__WANTED(it->tight, (size_t)it->match.classes + 1));
}

/* Do quotas fit? With `tight`, also which leaves cannot have more. */
static bool fits(joint *it, bool tight)
{
    const allot__work *work = it->work;
    bool all = true;
    allot__match_reset(&it->match);
    for (int32_t row = 0; row < work->tree->rows && (all || tight); row++) {
        int32_t class = it->match.class_of[row];
        all = (class < 0 ||
               allot__match_push(&it->match, class, work->quota[row]) == work->quota[row]) &&
              all;
    }
    for (int32_t i = 0; i < it->match.classes; i++)
        it->tight[i] = allot__match_tight(&it->match, i);
    return all;
}

/* Computes quotas as if the group had another size; own' stays as it is. */
static int at_size(joint *it, int64_t slots, bool tight, bool *fit)
{
    allot__work *work = it->work;
    allot__arena arena, *mine = work->arena;
    allot__arena_init(&arena, work->plan->engine);
    work->arena = &arena;
    work->slots = slots;
    int status = allot__quota(work);
    *fit = status == ALLOT_OK && fits(it, tight);
    work->slots = it->slots;
    work->arena = mine;
    allot__arena_free(&arena);
    return status;
}

/* Finds the largest size at which quotas fit. Afterwards quotas are those of one slot more, and
 * `tight` marks the leaves that cannot have them. */
static int find_size(joint *it)
{
    int64_t least = 0, most = it->slots;
    size_t bytes = (size_t)it->work->tree->rows * sizeof *it->enough;
    int status = ALLOT_OK;
    bool fit;
    memset(it->enough, 0, bytes);
    while (most - least > 1 && status == ALLOT_OK) {
        int64_t size = least + (most - least) / 2;
        status = at_size(it, size, false, &fit);
        least = fit ? size : least;
        most = fit ? most : size;
        if (fit)
            memcpy(it->enough, it->work->quota, bytes);
    }
    return status == ALLOT_OK ? at_size(it, most, true, &fit) : status;
}

/* Limits leaves that cannot have more to their quotas at the size that fits, plus what still fits
 * of one slot more. Was any limit lowered? */
static bool hold(joint *it)
{
    allot__work *work = it->work;
    bool lower = false;
    allot__match_reset(&it->match);
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t class = it->match.class_of[row];
        if (class >= 0)
            allot__match_push(&it->match, class, it->enough[row]);
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t class = it->match.class_of[row];
        if (class < 0 || it->tight[class] == 0)
            continue;
        int64_t more = (int64_t)work->quota[row] - it->enough[row];
        int64_t most =
            it->enough[row] + (more > 0 ? allot__match_push(&it->match, class, more) : 0);
        lower = lower || most < work->need[row];
        it->limit[row] = most < it->limit[row] ? (int32_t)most : it->limit[row];
    }
    return lower;
}

/* If a policy gives a leaf less of more slots, sizes do not help: first come, first served. */
static void cut(joint *it)
{
    const allot__work *work = it->work;
    allot__match_reset(&it->match);
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t class = it->match.class_of[row];
        if (class >= 0)
            it->limit[row] = (int32_t)allot__match_push(&it->match, class, work->quota[row]);
    }
}

int allot__joint(allot__work *work)
{
    joint it = {.work = work};
    if (!allot__group_hosts_uneven(work->hosts) || work->ledger)
        return ALLOT_OK;
    int status = begin(&it);
    if (status != ALLOT_OK || fits(&it, false))
        return status;
    memcpy(it.limit, work->limit, (size_t)work->tree->rows * sizeof *it.limit);
    work->limit = it.limit;
    for (int32_t turns = it.match.classes; status == ALLOT_OK; turns--) {
        status = find_size(&it);
        if (status == ALLOT_OK && (!hold(&it) || turns <= 0)) {
            status = allot__quota(work);
            cut(&it);
        }
        if (status == ALLOT_OK) {
            allot__work_again(work);
            status = allot__need(work);
        }
        if (status == ALLOT_OK)
            status = allot__quota(work);
        if (status == ALLOT_OK && (fits(&it, false) || turns <= 0))
            break;
    }
    return status;
}
