/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* beside.c: which jobs may start, resume or preempt beside what is reserved, and what keeps others
 * from it. */
#include "base/least.h"
#include "engine/jobs/limits/resource.h"
#include "engine/jobs/reserve.h"

/* Notes that a job waits behind another, and what keeps it there. */
static bool note_behind(allot__turns *turns, int32_t number, int32_t before, uint8_t behind,
                        int32_t binding)
{
    turns->out->jobs[number].why = ALLOT_PEND_BEHIND;
    turns->out->jobs[number].binding = before;
    turns->out->reserved[number].behind = behind;
    turns->out->reserved[number].binding = binding;
    return false;
}

/* ---- What reservations leave ----------------------------------------------------------------- */

bool allot__reserve_bind(allot__turns *turns, int32_t number, bool resumes)
{
    allot__reserve *reserve = turns->reserve;
    if (!allot__reserve_some(turns))
        return false;
    int64_t now = turns->work->state->now, until = allot__forecast_end(turns, number);
    int status = allot__forecast(turns, resumes);
    if (status == ALLOT_OK)
        status = allot__allowances_as_of(turns, number, now, until);
    if (status != ALLOT_OK) {
        allot__allowances_now(turns);
        reserve->status = status;
        return false;
    }
    for (int32_t cell = 0; cell < reserve->cells; cell++)
        reserve->left[cell] = allot__reserve_worth(
            turns, cell, allot__reserve_brief(turns, number)->exclusive,
            allot__profile_look(&reserve->profiles[cell], now, until, 0).least);
    reserve->binds = true;
    return true;
}

void allot__reserve_unbind(allot__turns *turns)
{
    if (!turns->reserve)
        return;
    turns->reserve->binds = false;
    allot__allowances_now(turns);
}

/* ---- Which reservation binds ----------------------------------------------------------------- */

/* Visits the reservations that overlap a time in the order in which they were made. */
static const allot__reservation *next_at(const allot__reserve *reserve, size_t *i, int64_t time)
{
    const allot__reservation *list = reserve->list.items;
    while (*i < reserve->list.count) {
        const allot__reservation *it = &list[(*i)++];
        if (it->at <= time && time < it->until)
            return it;
    }
    return NULL;
}

/* The first job whose reservation meets what the job would use until then. */
static int32_t first_before(const allot__turns *turns, int64_t until)
{
    const allot__reservation *list = turns->reserve->list.items;
    for (size_t i = 0; i < turns->reserve->list.count; i++)
        if (list[i].at < until)
            return list[i].job;
    return list[0].job;
}

/* In reserve->event, by cell, when a job lacks most there, or, as there is one cell, first; in
 * reserve->worth what it would have there without any reservation. Returns the sum of that. */
static int64_t look_at_worst(const allot__turns *turns, int32_t number, int64_t until)
{
    allot__reserve *reserve = turns->reserve;
    const allot__job_brief *job = allot__reserve_brief(turns, number);
    int64_t now = turns->work->state->now, sum = 0;
    int64_t enough = reserve->cells == 1 ? job->slots : INT64_MIN;
    for (int32_t cell = 0; cell < reserve->cells; cell++) {
        int64_t at = allot__profile_low(&reserve->profiles[cell], now, until, enough);
        reserve->event[cell] = at;
        reserve->left[cell] = allot__reserve_serves(turns, cell, job->queue)
                                  ? allot__profile_free(&reserve->unreserved[cell], at)
                                  : 0;
        sum += allot__reserve_worth(turns, cell, job->exclusive, reserve->left[cell]);
    }
    return sum;
}

/* The first reservation beside which, and those before it, the job lacks slots. */
static int32_t binding_slots(const allot__turns *turns, int32_t number)
{
    const allot__reserve *reserve = turns->reserve;
    const allot__job_brief *job = allot__reserve_brief(turns, number);
    const allot__reservation *list = reserve->list.items;
    const allot__reserved_part *parts = reserve->parts.items;
    int64_t until = allot__forecast_end(turns, number), sum = look_at_worst(turns, number, until);
    for (size_t i = 0, part = 0; i < reserve->list.count; i++) {
        size_t end = i + 1 < reserve->list.count ? (size_t)list[i + 1].first : reserve->parts.count;
        for (; part < end; part++) {
            int32_t cell = parts[part].cell;
            int64_t at = reserve->event[cell], *left = &reserve->left[cell];
            if (at < list[i].at || at >= list[i].until ||
                !allot__reserve_serves(turns, cell, job->queue))
                continue;
            sum -= allot__reserve_worth(turns, cell, job->exclusive, *left);
            *left -= parts[part].slots;
            sum += allot__reserve_worth(turns, cell, job->exclusive, *left);
            if (sum < job->slots)
                return list[i].job;
        }
    }
    return first_before(turns, until);
}

/* What a reservation keeps of an allowance. */
static int64_t kept_by(const allot__reserve *reserve, const allot__reservation *it, int32_t number)
{
    const allot__reservation *list = reserve->list.items;
    const allot__bound_part *uses = reserve->uses.items;
    bool last = it + 1 == list + reserve->list.count;
    size_t end = last ? reserve->uses.count : (size_t)it[1].first_use;
    int64_t sum = 0;
    for (size_t i = (size_t)it->first_use; i < end; i++)
        sum += uses[i].bound == number ? uses[i].amount : 0;
    return sum;
}

/* What a job uses of an allowance without hosts. */
static int64_t asks(const allot__turns *turns, int32_t number, int32_t allowance)
{
    const allot__bounds *bounds = &turns->out->bounds;
    int64_t slots = allot__reserve_brief(turns, number)->slots;
    int32_t count = 0;
    if (allowance >= 0)
        return allot__limit_trait(bounds, allot__bound_at(bounds, allowance)->limit)->jobs ? 1
                                                                                           : slots;
    const allot_job_resource *of =
        bounds->resources ? allot__job_resources(turns->jobs, number, &count) : NULL;
    for (int32_t i = 0; i < count; i++)
        if (of[i].resource == ~allowance)
            return of[i].amount;
    return slots;
}

/* The first reservation beside which, and those before it, too little of an allowance is left. */
static int32_t binding_use(const allot__turns *turns, int32_t number, int32_t allowance)
{
    const allot__reserve *reserve = turns->reserve;
    const allot__profile *profile = allot__allowance_at(turns, allowance);
    int64_t now = turns->work->state->now, until = allot__forecast_end(turns, number);
    int64_t wants = asks(turns, number, allowance);
    if (!profile)
        return first_before(turns, until);
    int64_t at = allot__profile_low(profile, now, until, wants);
    int64_t left = allot__profile_free(profile, at);
    const allot__reservation *it;
    for (size_t i = 0; (it = next_at(reserve, &i, at)) != NULL;)
        left += kept_by(reserve, it, allowance);
    for (size_t i = 0; (it = next_at(reserve, &i, at)) != NULL;) {
        left -= kept_by(reserve, it, allowance);
        if (left < wants && kept_by(reserve, it, allowance) > 0)
            return it->job;
    }
    return first_before(turns, until);
}

/* Notes which allowance keeps a job behind which reservation. */
static bool behind_use(allot__turns *turns, int32_t number, int32_t allowance)
{
    const allot__resources *resources = turns->out->bounds.resources;
    int32_t before = binding_use(turns, number, allowance);
    if (allowance >= 0)
        return note_behind(turns, number, before, ALLOT__BEHIND_LIMIT, allowance);
    bool resource = resources && ~allowance < resources->count;
    return note_behind(turns, number, before,
                       resource ? ALLOT__BEHIND_RESOURCE : ALLOT__BEHIND_POOL, ~allowance);
}

static bool behind_slots(allot__turns *turns, int32_t number)
{
    return note_behind(turns, number, binding_slots(turns, number), ALLOT__BEHIND_SLOTS, -1);
}

/* ---- Beside them ----------------------------------------------------------------------------- */

bool allot__beside_passes(allot__turns *turns, int32_t number)
{
    int32_t first = allot__reserve_first(turns);
    if (first < 0)
        return false;
    int32_t queue = allot__reserve_brief(turns, number)->queue;
    bool keeps = turns->states[number] == ALLOT_SUSPENDED &&
                 !allot__may_preempt(turns->work->plan->relation,
                                     allot__reserve_brief(turns, first)->queue, queue);
    if (keeps)
        return false; /* its slots are not for the first one */
    note_behind(turns, number, first, ALLOT__BEHIND_SLOTS, -1);
    return true;
}

bool allot__beside_start(allot__turns *turns, int32_t number)
{
    int32_t from = 0, binding = -1, use = -1;
    int64_t slots = allot__reserve_brief(turns, number)->slots;
    if (!allot__reserve_bind(turns, number, false))
        return true;
    bool lets = allot__allowances_let(turns, number, slots, &use);
    int32_t left = lets ? allot__place_on_hosts(turns, number, &from, &binding) : 0;
    allot__allowances_now(turns);
    if (left > 0 && binding >= 0) { /* is it for limits by hosts alone? */
        int32_t other;
        allot__reserve_unbind(turns);
        if (allot__reserve_bind(turns, number, false)) {
            allot__allowances_now(turns);
            from = 0;
            if (allot__place_on_hosts(turns, number, &from, &other) <= 0) {
                lets = false;
                use = binding;
            }
        }
    }
    allot__reserve_unbind(turns);
    if (!lets)
        return behind_use(turns, number, use);
    return left <= 0 ? allot__beside_others(turns, number) : behind_slots(turns, number);
}

bool allot__beside_resume(allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    const allot__job_place *places = allot__job_places(job);
    allot__bounds *bounds = &turns->out->bounds;
    bool fits = true;
    int32_t use = -1;
    if (!allot__reserve_bind(turns, number, true))
        return true;
    bool lets = allot__allowances_let(turns, number, job->slots, &use);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(&turns->out->view, places[i].site);
        int32_t slots = places[i].slots, binding;
        fits = fits && allot__reserve_least(turns, host, slots) == slots;
        allot__reserve_use(turns, host, slots);
        if (lets && allot__bounds_on_host(bounds, number, host, slots, &binding) < slots) {
            lets = false;
            use = binding;
        }
        allot__bounds_try(bounds, number, host, slots);
    }
    allot__bounds_tried(bounds, number);
    allot__reserve_unbind(turns);
    if (!fits)
        return behind_slots(turns, number);
    return lets || behind_use(turns, number, use);
}

/* ---- Victims --------------------------------------------------------------------------------- */

/* The least that the cells and allowances of a reservation have left while it lasts. */
static int64_t spare(const allot__turns *turns, const allot__reservation *it)
{
    const allot__reserve *reserve = turns->reserve;
    const allot__reservation *list = reserve->list.items;
    const allot__reserved_part *parts = reserve->parts.items;
    const allot__bound_part *uses = reserve->uses.items;
    bool last = it + 1 == list + reserve->list.count;
    size_t part_end = last ? reserve->parts.count : (size_t)it[1].first;
    size_t use_end = last ? reserve->uses.count : (size_t)it[1].first_use;
    int64_t least = INT64_MAX, at = allot__most(it->at, turns->work->state->now);
    for (size_t i = (size_t)it->first; i < part_end; i++)
        least = allot__least(
            least,
            allot__profile_look(&reserve->profiles[parts[i].cell], at, it->until, INT64_MIN).least);
    for (size_t i = (size_t)it->first_use; i < use_end; i++) {
        const allot__profile *profile = allot__allowance_at(turns, uses[i].bound);
        if (profile)
            least =
                allot__least(least, allot__profile_look(profile, at, it->until, INT64_MIN).least);
    }
    return least;
}

/* The forecast as the job of a reservation sees it; `number`: with this job on its places, or -1.
 */
static int look_as(allot__turns *turns, const allot__reservation *it, int32_t number)
{
    int32_t queue = allot__reserve_brief(turns, it->job)->queue;
    allot__host_view_as(&turns->out->view, queue);
    turns->reserve->changes = 0;
    int status = allot__forecast(turns, false);
    if (status != ALLOT_OK || number < 0)
        return status;
    const allot__job *job = allot__job_at(turns->jobs, number);
    if (turns->states[number] != ALLOT_SUSPENDED)
        return allot__forecast_place(turns, number,
                                     turns->states[number] == ALLOT_PENDING ? ALLOT_ORDER_START
                                                                            : ALLOT_ORDER_RESIZE,
                                     turns->places, turns->place_count, false);
    if (!allot__may_preempt(turns->work->plan->relation, queue, job->queue))
        return ALLOT_OK; /* it keeps its slots from that one as it is */
    return allot__forecast_place(turns, number, ALLOT_ORDER_RESUME, allot__job_places(job),
                                 job->place_count, false);
}

/* Visits all reservations, queue by queue; `number` -1: notes what each has to spare; else sets
 * *delayed to the first that has less, and too little, with this job on its places. */
static int weigh(allot__turns *turns, int32_t number, int32_t *delayed)
{
    allot__reservation *list = turns->reserve->list.items;
    size_t count = turns->reserve->list.count;
    int32_t viewer = -1;
    int status = ALLOT_OK;
    *delayed = -1;
    for (size_t i = 0; i < count && status == ALLOT_OK && *delayed < 0; i++) {
        int32_t queue = allot__reserve_brief(turns, list[i].job)->queue;
        status = queue == viewer ? ALLOT_OK : look_as(turns, &list[i], number);
        viewer = queue;
        int64_t left = status == ALLOT_OK ? spare(turns, &list[i]) : 0;
        if (number < 0)
            list[i].spare = left;
        else if (left < allot__least(list[i].spare, 0))
            *delayed = list[i].job;
    }
    turns->reserve->changes = 0;
    return status;
}

int allot__beside_weigh(allot__turns *turns)
{
    int32_t none, viewer = turns->out->view.viewer;
    int status = weigh(turns, -1, &none);
    allot__host_view_as(&turns->out->view, viewer);
    turns->reserve->weighed = true;
    return status;
}

int allot__beside_delays(allot__turns *turns, int32_t number, bool *fits)
{
    int32_t delayed = -1, viewer = turns->out->view.viewer;
    int status = *fits ? weigh(turns, number, &delayed) : ALLOT_OK;
    allot__host_view_as(&turns->out->view, viewer);
    turns->reserve->weighed = false;
    if (delayed >= 0)
        *fits = note_behind(turns, number, delayed, ALLOT__BEHIND_VICTIMS, -1);
    return status;
}

bool allot__beside_others(allot__turns *turns, int32_t number)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    bool keeps = allot__bits_next(&view->keepers, 0) < view->keepers.bound, fits = true;
    if (!allot__reserve_some(turns) || reserve->weighed || !keeps)
        return true;
    int status = allot__beside_weigh(turns);
    if (status == ALLOT_OK)
        status = allot__beside_delays(turns, number, &fits);
    if (status != ALLOT_OK)
        reserve->status = status;
    if (!fits)
        turns->out->reserved[number].behind = ALLOT__BEHIND_SLOTS;
    return fits;
}
