/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* grant.c: grants if hosts differ, stage by stage. */
#include "engine/placement/grant.h"

int allot__grant(allot__granter *it, int64_t ghosts)
{
    allot__work *work = it->work;
    size_t rows = (size_t)work->tree->rows;
    int status = allot__match_make(work, ALLOT__FREE_SLOTS, ghosts, &it->match);
    work->room = allot__arena_take(work->arena, rows, sizeof *work->room);
    it->got = allot__arena_take(work->arena, rows, sizeof *it->got);
    it->open = allot__arena_take(work->arena, (size_t)it->match.classes + 1, 1);
    if (status != ALLOT_OK || !work->room || !it->got || !it->open)
        return ALLOT_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        work->room[row] = ALLOT_AMOUNT_MAX;
    status = allot__grant_fit(it);
    if (status == ALLOT_OK && !work->ledger && work->idle_left > 0)
        status = allot__make_way(it);
    if (status == ALLOT_OK && !work->ledger)
        status = allot__lend(it);
    return status;
}
