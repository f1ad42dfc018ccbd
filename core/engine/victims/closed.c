/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * closed.c: what runs on closed hosts is no candidate (E-34): it goes whatever the order,
 * or, where a host drains, it stays until it ends.
 */
#include "engine/victims/victim.h"

void allot__victims_close(const allot__work *work, const allot__units *units, uint8_t *stays,
                          int32_t *sheltered)
{
    const allot__site *sites = work->state->tasks.sites;
    for (int32_t leaf = 0; leaf < work->tree->rows; leaf++) {
        int32_t row = allot__row(work->plan, work->index, leaf);
        for (int32_t unit = units->first[leaf]; unit < units->first[leaf + 1]; unit++) {
            int32_t site = units->site[unit];
            int32_t closed = site >= 0 ? sites[site].closed : ALLOT_OPEN;
            if (closed == ALLOT_OPEN || stays[unit] != ALLOT__ELIGIBLE)
                continue;
            stays[unit] =
                closed == ALLOT_DRAIN ? ALLOT__INELIGIBLE_DRAINS : ALLOT__INELIGIBLE_CLOSED;
            sheltered[row] += closed == ALLOT_DRAIN ? units->slots[unit] : 0;
        }
    }
}
