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
 *
 * What quotas would be, outlooks tell; where a plan is none that they know, a cycle for each does.
 */
#include <stdlib.h>

#include "simulate/sim.h"

typedef struct asking {
    int32_t job, account;
    bool before; /* it asked in the last cycle */
} asking;

static int by_job(const void *a, const void *b)
{
    const asking *one = a, *other = b;
    return one->job < other->job ? -1 : one->job > other->job;
}

/* accounts whose first job is rigid. */
static int collect(allot_simulation *sim, allot__vector *out)
{
    for (int32_t c = 0; c < sim->groups * sim->consumers && sim->rigid_waiting > 0; c++) {
        allot__account *account = &sim->accounts[c];
        int32_t first = account->rigid_waiting > 0 ? allot__wait_first(account) : -1;
        if (first < 0)
            continue;
        if (!allot__job_of(sim, first)->rigid) { /* it came before the one that gathered */
            account->asks = false;
            if (account->gathered > 0 && allot__touch(sim, account) != ALLOT_OK)
                return ALLOT_ENOMEM;
            allot__gather(sim, account, -account->gathered);
            continue;
        }
        asking *added = allot__push(sim->engine, out, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        *added = (asking){first, c, account->asks && account->asked == first};
    }
    return ALLOT_OK;
}

static int64_t slots_of(const allot_simulation *sim, const asking *one)
{
    return allot__job_of(sim, one->job)->slots;
}

/* The first `count` ask, and nobody behind them. */
static void ask_first(allot_simulation *sim, const allot__vector *list, size_t count)
{
    const asking *them = list->items;
    for (size_t i = 0; i < list->count; i++)
        sim->accounts[them[i].account].asks = i < count;
}

/* ---- What cycles say ------------------------------------------------------------------------- */

static int64_t quota_of(const allot_decision *decision, const allot__account *account)
{
    allot_brief brief;
    allot_decision_brief(decision, account->group, account->consumer, &brief);
    return brief.quota;
}

/* Do the quotas hold all that runs? */
static bool hold_running(const allot_simulation *sim, const allot_decision *decision)
{
    bool hold = true;
    for (int32_t c = 0; c < sim->groups * sim->consumers && hold; c++) {
        const allot__account *account = &sim->accounts[c];
        hold = account->running == 0 || quota_of(decision, account) >= account->running;
    }
    return hold;
}

/* The next cycle is told of whom the last one did not know so. */
static int touch_all(allot_simulation *sim, const allot__vector *list)
{
    const asking *them = list->items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < list->count && status == ALLOT_OK; i++) {
        allot__account *account = &sim->accounts[them[i].account];
        if (!allot__sums_known(sim, account))
            status = allot__touch(sim, account);
    }
    return status;
}

/* Do the quotas of those who ask hold their jobs? `kind`: and all that runs. */
static int try_all(allot_simulation *sim, const allot__vector *list, bool kind,
                   allot_report *report, bool *hold)
{
    const asking *them = list->items;
    allot_decision *decision = NULL;
    int status = allot__cycle_state(sim, ALLOT__TASKS_NONE, report);
    if (status == ALLOT_OK)
        status = allot__decide(sim, ALLOT_STAGE_QUOTA, report, &decision);
    if (status != ALLOT_OK)
        return status;
    *hold = true;
    for (size_t i = 0; i < list->count && *hold; i++) {
        const allot__account *account = &sim->accounts[them[i].account];
        if (account->asks)
            *hold = quota_of(decision, account) >= account->running + slots_of(sim, &them[i]);
    }
    *hold = *hold && (!kind || hold_running(sim, decision));
    return allot__reopen(sim, decision);
}

/* ---- Who is tried ---------------------------------------------------------------------------- */

/* Of a group: slots of all that runs, of what runs where one asks, and that these ask for. */
typedef struct load {
    int64_t running, beside, asked;
} load;

typedef struct trying {
    allot_simulation *sim;
    const allot__vector *list;
    load *loads; /* by group */
    allot_report *report;
} trying;

static void weigh(trying *it, const asking *one)
{
    const allot__account *account = &it->sim->accounts[one->account];
    it->loads[account->group].beside += account->running;
    it->loads[account->group].asked += slots_of(it->sim, one);
}

/* Those who ask, and the sums of that. */
static void begin(trying *it, size_t count)
{
    const allot_simulation *sim = it->sim;
    const asking *them = it->list->items;
    ask_first(it->sim, it->list, count);
    for (int32_t i = 0; i < sim->groups; i++)
        it->loads[i] = (load){0};
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++)
        it->loads[sim->accounts[c].group].running += sim->accounts[c].running;
    for (size_t i = 0; i < count; i++)
        weigh(it, &them[i]);
}

/* All quotas of a group together are at most its size. */
static bool fit(const trying *it, bool kind)
{
    const allot_simulation *sim = it->sim;
    bool fits = true;
    for (int32_t i = 0; i < sim->groups && !sim->varies; i++) {
        const load *of = &it->loads[i];
        fits = fits && of->asked + (kind ? of->running : of->beside) <= sim->sizes[i];
    }
    return fits;
}

/* Could one more be held at all? */
static bool fits(const trying *it, const asking *one, bool kind)
{
    const allot__account *account = &it->sim->accounts[one->account];
    const load *of = &it->loads[account->group];
    int64_t sum = of->asked + slots_of(it->sim, one);
    sum += kind ? of->running : of->beside + account->running;
    return it->sim->varies || sum <= it->sim->sizes[account->group];
}

/* Are the first `count` held together? */
static int try_first(trying *it, size_t count, bool kind, bool *hold)
{
    *hold = false;
    begin(it, count);
    if (!fit(it, kind))
        return ALLOT_OK;
    int status = touch_all(it->sim, it->list);
    if (status != ALLOT_OK || !it->sim->outlooks)
        return status == ALLOT_OK ? try_all(it->sim, it->list, kind, it->report, hold) : status;
    allot__foresee_sums(it->sim, kind);
    return allot__foresee_all(it->sim, hold);
}

/* Who asks with all before it held: does it go on so with this one? */
static int try_one(trying *it, const asking *one, bool kind)
{
    allot_simulation *sim = it->sim;
    allot__account *account = &sim->accounts[one->account];
    bool hold = false;
    int status = ALLOT_OK;
    if (!fits(it, one, kind))
        return ALLOT_OK;
    if (sim->outlooks) {
        status = allot__foresee_one(sim, account, slots_of(sim, one), &hold);
        account->asks = hold;
    } else {
        account->asks = true;
        status = allot__touch(sim, account);
        if (status == ALLOT_OK)
            status = try_all(sim, it->list, kind, it->report, &hold);
        account->asks = hold;
    }
    if (hold) {
        weigh(it, one);
        if (sim->outlooks)
            allot__foresee_account(sim, account, kind);
    }
    return status;
}

static int try_each(trying *it, size_t from, size_t to, bool kind)
{
    const asking *them = it->list->items;
    int status = ALLOT_OK;
    if (it->sim->outlooks && from < to)
        allot__foresee_sums(it->sim, kind);
    for (size_t i = from; i < to && status == ALLOT_OK; i++)
        status = try_one(it, &them[i], kind);
    return status;
}

static void swap(asking *a, asking *b)
{
    asking kept = *a;
    *a = *b;
    *b = kept;
}

static void sort(asking *them, size_t count)
{
    if (count > 1)
        qsort(them, count, sizeof *them, by_job);
}

/* Those who asked before, first. */
static int try_before(trying *it, size_t *before)
{
    asking *them = it->list->items;
    bool hold = false;
    *before = 0;
    for (size_t i = 0; i < it->list->count; i++)
        if (them[i].before)
            swap(&them[i], &them[(*before)++]);
    sort(them, *before);
    begin(it, *before);
    if (*before > 0 && it->sim->outlooks && fit(it, false)) {
        allot__foresee_sums(it->sim, false);
        hold = allot__foresee_each(it->sim);
    }
    if (hold || *before == 0)
        return ALLOT_OK;
    begin(it, 0);
    int status = touch_all(it->sim, it->list);
    return status == ALLOT_OK ? try_each(it, 0, *before, false) : status;
}

/* ... then the others; who does not fit beside those, does not beside more. */
static int try_others(trying *it, size_t before)
{
    asking *them = it->list->items;
    bool kind = it->sim->round > 0;
    size_t end = before;
    for (size_t i = before; i < it->list->count; i++)
        if (fits(it, &them[i], kind))
            swap(&them[i], &them[end++]);
    sort(them + before, end - before);
    int status = touch_all(it->sim, it->list);
    return status == ALLOT_OK ? try_each(it, before, end, kind) : status;
}

static int try_list(trying *it)
{
    const asking *them = it->list->items;
    bool hold = false, new = false;
    size_t before = 0;
    for (size_t i = 0; i < it->list->count; i++)
        new = new || !them[i].before;
    int status = try_first(it, it->list->count, it->sim->round > 0 && new, &hold);
    if (status == ALLOT_OK && !hold)
        status = try_before(it, &before);
    return status == ALLOT_OK && !hold ? try_others(it, before) : status;
}

static int try_them(allot_simulation *sim, const allot__vector *list, allot_report *report)
{
    trying it = {.sim = sim, .list = list, .report = report};
    it.loads = allot__new(sim->engine, (size_t)sim->groups, sizeof *it.loads);
    int status = it.loads ? allot__foresee_begin(sim) : ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        status = try_list(&it);
    allot__free(sim->engine, it.loads, (size_t)sim->groups, sizeof *it.loads);
    return status;
}

int allot__rigid_ask(allot_simulation *sim, allot_report *report)
{
    allot__vector list = {0};
    int status = collect(sim, &list);
    const asking *them = list.items;
    if (status == ALLOT_OK && list.count > 0)
        status = try_them(sim, &list, report);
    for (size_t i = 0; i < list.count && status == ALLOT_OK; i++) {
        allot__account *account = &sim->accounts[them[i].account];
        account->asked = them[i].job;
        if (!account->asks && account->gathered > 0)
            allot__gather(sim, account, -account->gathered);
    }
    if (status == ALLOT_OK)
        status = touch_all(sim, &list);
    allot__vector_free(sim->engine, &list);
    return status;
}
