/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rigid.c: which leaves ask for slots for the rigid job that is first there.
 *
 * One asks while the quota of its leaf holds it beside what runs: such slots come, and so does its
 * start. If all quotas hold theirs at once, all ask; else they are tried one by one, and who is
 * tried must leave room for those who ask already. Those go first who asked before: what was taken
 * from others for them is not given back to these. Then it is the job that was submitted first.
 */
#include <stdlib.h>

#include "simulate/sim.h"

typedef struct asking {
    int32_t job, cell;
    bool before; /* it asked in the last cycle */
} asking;

static int by_job(const void *a, const void *b)
{
    const asking *one = a, *other = b;
    if (one->before != other->before)
        return one->before ? -1 : 1;
    return one->job < other->job ? -1 : one->job > other->job;
}

/* Cells whose first job is rigid, by that job. */
static int collect(const allot_simulation *sim, allot__list *out)
{
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++) {
        const allot__cell *cell = &sim->cells[c];
        int32_t first = cell->rigid_waiting > 0 ? allot__wait_first(cell) : -1;
        if (first < 0 || !allot__job_of(sim, first)->rigid)
            continue;
        asking *added = allot__list_add(sim->engine, out, sizeof *added);
        if (added == NULL)
            return ALLOT_ENOMEM;
        *added = (asking){first, c, cell->asks && cell->asked == first};
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof(asking), by_job);
    return ALLOT_OK;
}

static int ask(allot_simulation *sim, int32_t cell, bool asks)
{
    sim->cells[cell].asks = asks;
    return allot__touch(sim, &sim->cells[cell]);
}

/* Do the quotas of those who ask hold their jobs? */
static int try_all(allot_simulation *sim, const allot__list *list, allot_report *report, bool *hold)
{
    const asking *them = list->items;
    allot_decision *decision = NULL;
    int status = allot__tell_cycle(sim, ALLOT__TELL_SUMS, report);
    if (status == ALLOT_OK)
        status = allot__decide(sim, ALLOT_STAGE_QUOTA, report, &decision);
    if (status != ALLOT_OK)
        return status;
    *hold = true;
    for (size_t i = 0; i < list->count && *hold; i++) {
        const allot__cell *cell = &sim->cells[them[i].cell];
        allot_verdict verdict;
        if (!cell->asks)
            continue;
        allot_decision_verdict(decision, cell->group, cell->consumer, &verdict);
        *hold = verdict.quota >= cell->running + allot__job_of(sim, them[i].job)->slots;
    }
    return allot__reopen(sim, decision);
}

static int try_each(allot_simulation *sim, const allot__list *list, allot_report *report)
{
    const asking *them = list->items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < list->count && status == ALLOT_OK; i++)
        status = ask(sim, them[i].cell, false);
    for (size_t i = 0; i < list->count && status == ALLOT_OK; i++) {
        bool hold = false;
        status = ask(sim, them[i].cell, true);
        if (status == ALLOT_OK)
            status = try_all(sim, list, report, &hold);
        if (status == ALLOT_OK && !hold)
            status = ask(sim, them[i].cell, false);
    }
    return status;
}

int allot__rigid_ask(allot_simulation *sim, allot_report *report)
{
    allot__list list = {0};
    bool hold = true;
    int status = collect(sim, &list);
    const asking *them = list.items;
    for (size_t i = 0; i < list.count && status == ALLOT_OK; i++)
        status = ask(sim, them[i].cell, true);
    if (status == ALLOT_OK && list.count > 0)
        status = try_all(sim, &list, report, &hold);
    if (status == ALLOT_OK && !hold)
        status = try_each(sim, &list, report);
    for (size_t i = 0; i < list.count && status == ALLOT_OK; i++) {
        allot__cell *cell = &sim->cells[them[i].cell];
        cell->asked = them[i].job;
        if (!cell->asks && cell->gathered > 0)
            allot__gather(sim, cell, -cell->gathered);
    }
    allot__list_free(sim->engine, &list);
    return status;
}
