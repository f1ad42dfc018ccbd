/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rigid.c: which leaves ask for slots for the rigid job that is first there.
 *
 * One asks while the quota of its leaf holds it beside what runs: such slots come, and so does its
 * start. If all quotas hold theirs at once, all ask; else they are tried one by one, and who is
 * tried must leave room for those who ask already. Those go first who asked before: what was taken
 * from others for them is not given back to these. Then it is the job that was submitted first.
 *
 * A job that goes leaves more than was wanted of it. In the cycles that follow at the same instant
 * others may have that, but nobody must go for them: else jobs would take from each other in turn.
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
static int collect(allot_simulation *sim, allot__list *out)
{
    for (int32_t c = 0; c < sim->groups * sim->consumers && sim->rigid_waiting > 0; c++) {
        allot__cell *cell = &sim->cells[c];
        int32_t first = cell->rigid_waiting > 0 ? allot__wait_first(cell) : -1;
        if (first < 0)
            continue;
        if (!allot__job_of(sim, first)->rigid) { /* it came before the one that gathered */
            cell->asks = false;
            if (cell->gathered > 0 && allot__touch(sim, cell) != ALLOT_OK)
                return ALLOT_ENOMEM;
            allot__gather(sim, cell, -cell->gathered);
            continue;
        }
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

static int64_t quota_of(const allot_decision *decision, const allot__cell *cell)
{
    allot_brief brief;
    allot_decision_brief(decision, cell->group, cell->consumer, &brief);
    return brief.quota;
}

/* Do the quotas hold all that runs? */
static bool hold_running(const allot_simulation *sim, const allot_decision *decision)
{
    bool hold = true;
    for (int32_t c = 0; c < sim->groups * sim->consumers && hold; c++) {
        const allot__cell *cell = &sim->cells[c];
        hold = cell->running == 0 || quota_of(decision, cell) >= cell->running;
    }
    return hold;
}

/* Do the quotas of those who ask hold their jobs? `kind`: and all that runs. */
static int try_all(allot_simulation *sim, const allot__list *list, bool kind, allot_report *report,
                   bool *hold)
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
        if (cell->asks)
            *hold =
                quota_of(decision, cell) >= cell->running + allot__job_of(sim, them[i].job)->slots;
    }
    *hold = *hold && (!kind || hold_running(sim, decision));
    return allot__reopen(sim, decision);
}

/* Of a group: slots of all that runs, of what runs where one asks, and that these ask for. */
typedef struct load {
    int64_t running, beside, asked;
} load;

/* Could one more be held at all? All quotas of a group together are at most its size. */
static bool fits(const allot_simulation *sim, const load *of, const asking *one, bool kind)
{
    const allot__cell *cell = &sim->cells[one->cell];
    int64_t sum = of->asked + allot__job_of(sim, one->job)->slots;
    sum += kind ? of->running : of->beside + cell->running;
    return sim->varies || sum <= sim->sizes[cell->group];
}

static int try_one(allot_simulation *sim, const allot__list *list, const asking *one, load *loads,
                   allot_report *report)
{
    const allot__cell *cell = &sim->cells[one->cell];
    load *of = &loads[cell->group];
    bool hold = false, kind = sim->round > 0 && !one->before;
    if (!fits(sim, of, one, kind))
        return ALLOT_OK;
    int status = ask(sim, one->cell, true);
    if (status == ALLOT_OK)
        status = try_all(sim, list, kind, report, &hold);
    if (status == ALLOT_OK && !hold)
        return ask(sim, one->cell, false);
    of->beside += cell->running;
    of->asked += allot__job_of(sim, one->job)->slots;
    return status;
}

static int try_each(allot_simulation *sim, const allot__list *list, allot_report *report)
{
    const asking *them = list->items;
    load *loads = allot__take(sim->engine, (size_t)sim->groups, sizeof *loads);
    int status = loads != NULL ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t c = 0; c < sim->groups * sim->consumers && status == ALLOT_OK; c++)
        loads[sim->cells[c].group].running += sim->cells[c].running;
    for (size_t i = 0; i < list->count && status == ALLOT_OK; i++)
        status = ask(sim, them[i].cell, false);
    for (size_t i = 0; i < list->count && status == ALLOT_OK; i++)
        status = try_one(sim, list, &them[i], loads, report);
    allot__give(sim->engine, loads, (size_t)sim->groups, sizeof *loads);
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
        status = try_all(sim, &list, sim->round > 0 && !them[list.count - 1].before, report, &hold);
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
