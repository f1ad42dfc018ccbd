/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* shelf.c: sorts hosts once, so that choosing one does not look at each. */
#include "engine/hosts/match.h"

#include <stdlib.h>

enum { NONE = -1 };

int allot__shelves_make(allot__shelves *shelves, allot__arena *arena, size_t host_count)
{
    return ALLOT__TAKE_ALL(
        arena, ALLOT__EACH(host_count, shelves->list, shelves->next, shelves->shelf_of));
}

/* Sorts shelves in the order of choosing; ties by kind, then in plan order. */
static int compare(const void *a, const void *b)
{
    const allot__shelf *left = a, *right = b;
    int64_t order = left->needed != right->needed         ? left->needed - right->needed
                    : left->important != right->important ? left->important - right->important
                    : left->used != right->used           ? left->used - right->used
                    : left->slots != right->slots         ? left->slots - right->slots
                    : left->kind != right->kind           ? left->kind - right->kind
                                                          : left->first - right->first;
    return order < 0 ? -1 : order > 0;
}

/* Do two shelves differ by slots too many alone? */
static bool level(const allot__shelf *a, const allot__shelf *b)
{
    return a->needed == b->needed && a->important == b->important && a->used == b->used;
}

static bool alike(const allot__shelf *a, const allot__shelf *b)
{
    return level(a, b) && a->kind == b->kind && a->slots == b->slots;
}

static bool is_needed(const allot__group_hosts *hosts, const bool *lacks, int32_t host)
{
    for (int32_t i = 0; i < hosts->requirement_count; i++)
        if (lacks[i] && hosts->requirements[i].met[host] != 0)
            return true;
    return false;
}

void allot__shelves_fill(allot__shelves *shelves, const allot__work *work,
                         const allot__match *match, const bool *lacks)
{
    const allot__group_hosts *hosts = work->hosts;
    allot__shelf *list = shelves->list;
    int32_t count = 0;
    for (int32_t host = 0; host < hosts->count; host++) {
        shelves->next[host] = NONE;
        if (hosts->owner[host] == ALLOT_ROOT && hosts->slots[host] > 0 &&
            hosts->barred[host] == 0) {
            list[count++] = (allot__shelf){.kind = match->kind_of[host],
                                           .slots = hosts->slots[host],
                                           .important = allot__host_important(work, host),
                                           .used = hosts->slots[host] - hosts->free[host],
                                           .needed = is_needed(hosts, lacks, host),
                                           .first = host};
        }
    }
    qsort(list, (size_t)count, sizeof *list, compare);
    shelves->count = shelves->front = 0;
    for (int32_t i = 0, last = NONE; i < count; i++) {
        int32_t host = list[i].first;
        if (shelves->count > 0 && alike(&list[shelves->count - 1], &list[i]))
            shelves->next[last] = host;
        else
            list[shelves->count++] = list[i];
        shelves->shelf_of[host] = shelves->count - 1;
        last = host;
    }
}

/* Has host a fewer slots too many than host b? Ties go to the first host. */
static bool better(const allot__shelf *a, const allot__shelf *b, int64_t want)
{
    int64_t a_beyond = a->slots > want ? a->slots - want : 0;
    int64_t b_beyond = b->slots > want ? b->slots - want : 0;
    return a_beyond != b_beyond ? a_beyond < b_beyond : a->first < b->first;
}

int32_t allot__shelves_take(allot__shelves *shelves, const allot__group_hosts *hosts, int32_t row,
                            int64_t want)
{
    allot__shelf *best = NULL;
    for (int32_t i = shelves->front; i < shelves->count; i++) {
        allot__shelf *at = &shelves->list[i];
        if (best && !level(at, best))
            break;
        if (at->first != NONE && allot__host_meets(hosts, row, at->first) &&
            (!best || better(at, best, want)))
            best = at;
        shelves->front += at->first == NONE && shelves->front == i;
    }
    int32_t host = best ? best->first : NONE;
    if (best)
        best->first = shelves->next[host];
    return host;
}

void allot__shelves_put(allot__shelves *shelves, int32_t host)
{
    int32_t shelf = shelves->shelf_of[host];
    shelves->next[host] = shelves->list[shelf].first;
    shelves->list[shelf].first = host;
    shelves->front = shelves->front < shelf ? shelves->front : shelf;
}
