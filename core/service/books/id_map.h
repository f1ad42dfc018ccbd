/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * id_map.h: who has which number under one plan, and under another.
 *
 * Books hold numbers of a plan. Under the next one most have others, or the same, or none. To find
 * out takes a while where a plan is large, and touches nothing but the two plans: any thread can.
 */
#ifndef ALLOT_SERVICE_BOOKS_ID_MAP_H
#define ALLOT_SERVICE_BOOKS_ID_MAP_H

#include "base/text.h"

typedef enum allot__numbered {
    ALLOT__CONSUMER,
    ALLOT__LEAF, /* the consumer, if it is a leaf there */
    ALLOT__GROUP,
    ALLOT__NUMBERED
} allot__numbered;

typedef struct allot__id_map {
    allot_engine *engine;
    const allot_plan *from, *to;
    /* All of these have the same number under both, and tasks may say there what they may here. */
    bool same;
    /* By the number under `from` the one under `to`; -1: there is none. */
    int32_t *of[ALLOT__NUMBERED];
    int32_t count[ALLOT__NUMBERED];
} allot__id_map;

/* ENOMEM. */
int allot__id_map_new(allot_engine *engine, const allot_plan *from, const allot_plan *to,
                      allot__id_map **out);
void allot__id_map_free(allot__id_map *ids);

static inline int32_t allot__id_map_find(const allot__id_map *ids, allot__numbered kind, int32_t i)
{
    return ids->of[kind][i];
}

#endif
