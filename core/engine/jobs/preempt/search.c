/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* search.c: which jobs are candidates, and the search over queues' merged lists. */
#include "engine/jobs/preempt/search.h"

#include "base/least.h"
#include "engine/jobs/limits/resource.h"

/* ---- Candidates ------------------------------------------------------------------------------ */

static int run_guard(allot__candidates *candidates, const allot__guard *guard, uint8_t mark)
{
    allot__rowset *rows = &candidates->rows.of.rows;
    if (guard->min <= 1 && guard->max >= ALLOT_AMOUNT_MAX &&
        allot__job_unprotected(candidates->work->plan, guard->value))
        return ALLOT_OK; /* no job's counter is spent */
    int status = allot__rowset_prepare(rows, guard->value);
    if (status == ALLOT_OK)
        allot__rowset_guard(rows, guard, mark, candidates->rows.jobs, candidates->ineligible);
    return status;
}

/* Counts how far a candidate would lower the use of limits (1), or no longer (-1). */
static void help(allot__candidates *candidates, int32_t number, int32_t sign)
{
    const allot__job *job = allot__job_at(candidates->work->state->jobs, number);
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(candidates->bounds, number, &count);
    int64_t slots = allot__job_all_slots(job);
    if (candidates->bounds->resources)
        allot__resources_candidate(candidates->bounds->resources, number, sign);
    for (int32_t i = 0; i < count; i++)
        if (entries[i].bound >= 0)
            candidates->helps[entries[i].bound] += sign * slots;
}

static void count_slots(allot__candidates *candidates)
{
    const allot__candidate_rows *rows = &candidates->rows;
    bool limited = candidates->bounds->class_of != NULL || candidates->bounds->resources;
    for (int32_t row = 0; row < rows->count; row++) {
        int32_t number = rows->jobs[row], queue = allot__candidate_queue(rows, row);
        int64_t slots = rows->gives[row];
        if (candidates->ineligible[number] == ALLOT__ELIGIBLE) {
            int64_t *most = &candidates->most_left[queue];
            *most = slots > *most ? slots : *most;
            candidates->slots_left[queue] += slots;
            if (limited)
                help(candidates, number, 1);
        }
        candidates->slots_protected[queue] +=
            candidates->ineligible[number] >= ALLOT__INELIGIBLE_GUARD ? slots : 0;
    }
}

static int take_room(allot__candidates *candidates)
{
    size_t queues = (size_t)allot__queue_count(candidates->work->plan);
    size_t jobs = candidates->work->state->jobs->list.count,
           bounds = candidates->bounds->list.count;
    int status = ALLOT__ZEROED_ALL(
        candidates->work->arena, ALLOT__WANTED(candidates->ineligible, jobs),
        ALLOT__WANTED(candidates->gone, jobs), ALLOT__WANTED(candidates->slots_left, queues),
        ALLOT__WANTED(candidates->slots_protected, queues),
        ALLOT__WANTED(candidates->protected_below, queues),
        ALLOT__WANTED(candidates->most_left, queues), ALLOT__WANTED(candidates->reach, queues),
        ALLOT__WANTED(candidates->reach_at, queues),
        ALLOT__WANTED(candidates->stamp, (size_t)candidates->view->count),
        ALLOT__WANTED(candidates->helps, bounds));
    candidates->help_count = (int32_t)bounds;
    for (size_t i = 0; status == ALLOT_OK && i < queues; i++)
        candidates->reach_at[i] = candidates->protected_below[i] = -1;
    return status;
}

int allot__candidates_make(const allot__work *work, allot__host_view *view, allot__bounds *bounds,
                           allot__candidates *out)
{
    *out = (allot__candidates){.work = work, .view = view, .bounds = bounds};
    int status = take_room(out);
    if (status == ALLOT_OK)
        status =
            allot__candidate_rows_make(work, view, bounds->states, out->ineligible, &out->rows);
    out->chosen = allot__arena_take(work->arena, (size_t)out->rows.count + 1, sizeof *out->chosen);
    if (status != ALLOT_OK || !out->chosen)
        return ALLOT_ENOMEM;
    const allot__vector *guards = &work->rules[0].policy->guards;
    for (size_t i = 0; i < guards->count && status == ALLOT_OK; i++) {
        status = run_guard(out, (const allot__guard *)guards->items + i,
                           (uint8_t)(ALLOT__INELIGIBLE_GUARD + i));
    }
    if (status == ALLOT_OK)
        status = allot__candidate_rows_read(&out->rows);
    count_slots(out);
    return status;
}

void allot__candidates_drop(allot__candidates *candidates, int32_t job, uint8_t why)
{
    if (candidates->ineligible[job] == ALLOT__ELIGIBLE) {
        const allot__job *it = allot__job_at(candidates->work->state->jobs, job);
        int64_t slots = allot__candidate_gives(candidates->view, it);
        candidates->slots_left[it->queue] -= slots;
        candidates->spent += slots;
        help(candidates, job, -1);
        candidates->ineligible[job] = why;
    }
}

void allot__candidates_restore(allot__candidates *candidates, int32_t job)
{
    const allot__job *it = allot__job_at(candidates->work->state->jobs, job);
    if (it->state != ALLOT_RUNNING || candidates->ineligible[job] != ALLOT__INELIGIBLE_TAKEN)
        return;
    candidates->ineligible[job] = ALLOT__ELIGIBLE;
    candidates->slots_left[it->queue] += allot__candidate_gives(candidates->view, it);
    help(candidates, job, 1);
    for (int32_t i = 0; i < allot__queue_count(candidates->work->plan); i++)
        candidates->reach_at[i] = -1;
    allot__candidate_rows_again(&candidates->rows, it->queue);
}

/* ---- Candidate by candidate ------------------------------------------------------------------ */

static int64_t wanting(int64_t lack)
{
    return lack > 0 ? lack : 0;
}

/* Chooses a job if it frees what is lacking; else all stays as it is, and it returns false. */
static bool try_one(allot__search *search, int32_t job)
{
    int64_t lack = wanting(search->fit.lack);
    int64_t over = search->fit.over;
    allot__search_take(search, job);
    if (wanting(search->fit.lack) < lack || search->fit.over < over)
        return true;
    allot__search_leave(search, search->count - 1);
    return false;
}

/* Tries the job at a place of a sifted list, in which all changes of hosts are settled. */
static void try_place(allot__search *search, allot__candidate_list *list, int32_t place)
{
    allot__candidate_rows *rows = &search->candidates->rows;
    if (try_one(search, allot__candidate_list_job(rows, list, place))) {
        allot__search_settle(search->candidates);
    } else {
        allot__bits *changed = &search->candidates->view->changed;
        for (int32_t host = 0; (host = allot__bits_next(changed, host)) < changed->bound;)
            allot__bits_remove(changed, host); /* and back */
        allot__bits_remove(&list->alone, place);
    }
}

/* Does a candidate free the same for all jobs of the queue, and nothing but slots? */
static bool sifts(const allot__fit *fit)
{
    return !fit->resumes && !fit->exclusive && !fit->whole && fit->over <= 0 &&
           !allot__bounds_by_host(fit->bounds, fit->number);
}

/* Rules 2 and 3; `together`: rule 2 for jobs that free slots only together. ENOMEM. */
static int merge_down(allot__search *search, bool together)
{
    allot__candidates *candidates = search->candidates;
    allot__candidate_list *list = allot__search_list(search);
    if (!list)
        return ALLOT_ENOMEM;
    bool limits = candidates->bounds->class_of != NULL || candidates->bounds->resources;
    bool sift = sifts(&search->fit);
    if (sift && allot__search_sift(candidates, list) != ALLOT_OK)
        return ALLOT_ENOMEM;
    sift = sift && list->sifted;
    allot__bits *among = !sift ? &list->left : together ? &list->joint : &list->alone;
    int32_t joined = 0;
    for (int32_t place = allot__candidate_list_seek(&candidates->rows, list, among, 0);
         place >= 0 && !allot__fits(&search->fit);
         place = allot__candidate_list_seek(&candidates->rows, list, among, place + 1)) {
        int32_t job = allot__candidate_list_job(&candidates->rows, list, place);
        bool may = allot__search_may(search, job);
        bool helps =
            may && (allot__fit_shares(&search->fit, job) || allot__fit_helps(&search->fit, job));
        if (!may || (!helps && !limits && !search->fit.resumes))
            allot__bits_remove(among, place);
        else if (!helps || candidates->gone[job])
            continue;
        else if (together && sift)
            allot__search_join(search, list, place, &joined);
        else if (together)
            allot__search_take(search, job);
        else if (sift)
            try_place(search, list, place);
        else
            list->vain += !try_one(search, job);
    }
    allot__search_joined(search, list, joined);
    return ALLOT_OK;
}

/* ---- Host by host ---------------------------------------------------------------------------- */

/* Makes room for all rows that run on a host; ENOMEM. */
static int near_room(allot__candidates *candidates, int32_t count)
{
    if (candidates->near_room >= count)
        return ALLOT_OK;
    int32_t room = count > 2 * candidates->near_room ? count : 2 * candidates->near_room;
    int32_t *both = allot__arena_take(candidates->work->arena, 2 * (size_t)room, sizeof *both);
    if (!both)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < candidates->near_room; i++)
        both[i] = candidates->near[i];
    candidates->near = both;
    candidates->near_by = both + room;
    candidates->near_room = room;
    return ALLOT_OK;
}

/* Appends the candidates on a host to `near`; *all: are all its jobs candidates? ENOMEM. */
static int add_near(allot__search *search, int32_t host, int32_t *count, bool *all)
{
    allot__candidates *candidates = search->candidates;
    int32_t n;
    const int32_t *rows = allot__candidate_on(&candidates->rows, host, &n);
    if (!rows || near_room(candidates, *count + n) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        int32_t job = candidates->rows.jobs[rows[i]];
        if (candidates->gone[job])
            continue;
        bool may = allot__search_may(search, job);
        *all = *all && may;
        candidates->near[*count] = rows[i];
        *count += may;
    }
    return ALLOT_OK;
}

/* Sorts these rows for the job's queue, each once: a job may be on several hosts. ENOMEM. */
static int sort_near(allot__search *search, int32_t *count)
{
    allot__candidates *candidates = search->candidates;
    const allot__candidate_list *list =
        allot__candidate_list_of(&candidates->rows, search->fit.job->queue, false);
    if (!list)
        return ALLOT_ENOMEM;
    allot__candidate_sort(&candidates->rows, list, candidates->near, candidates->near_by, *count);
    int32_t kept = 0;
    for (int32_t i = 0; i < *count; i++)
        if (i == 0 || candidates->near[i] != candidates->near[i - 1])
            candidates->near[kept++] = candidates->near[i];
    *count = kept;
    return ALLOT_OK;
}

/* Chooses candidates on a suspended job's own hosts that free slots, or all of them `together`.
 * ENOMEM. */
static int own_hosts(allot__search *search, bool together)
{
    allot__candidates *candidates = search->candidates;
    const allot__job *job = search->fit.job;
    const allot__job_place *places = allot__job_places(job);
    int32_t count = 0;
    bool all = true;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < job->place_count && status == ALLOT_OK; i++) {
        int32_t host = allot__host_view_host(candidates->view, places[i].site);
        status = host < 0 ? ALLOT_OK : add_near(search, host, &count, &all);
    }
    status = status == ALLOT_OK ? sort_near(search, &count) : status;
    for (int32_t i = 0; i < count && status == ALLOT_OK && !allot__fits(&search->fit); i++) {
        int64_t lack = search->fit.lack;
        allot__search_take(search, candidates->rows.jobs[candidates->near[i]]);
        if (search->fit.lack >= lack && !together)
            allot__search_leave(search, search->count - 1);
    }
    return status;
}

/* Empties a host if all its jobs are candidates and that frees what is lacking. */
static int empty_host(allot__search *search, int32_t host)
{
    allot__candidates *candidates = search->candidates;
    int32_t before = search->count;
    int64_t lack = search->fit.lack;
    int32_t count = 0;
    bool all = true;
    int status = add_near(search, host, &count, &all);
    if (status != ALLOT_OK || !all || count == 0)
        return status;
    status = sort_near(search, &count);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        allot__search_take(search, candidates->rows.jobs[candidates->near[i]]);
    while (search->fit.lack >= lack && search->count > before)
        allot__search_leave(search, search->count - 1);
    return status;
}

/* Whole hosts for an exclusive job. ENOMEM. */
static int whole_hosts(allot__search *search)
{
    const allot__host_view *view = search->candidates->view;
    int status = ALLOT_OK;
    for (int32_t host = 0; host < view->count && status == ALLOT_OK && search->fit.lack > 0;
         host++) {
        bool may = allot__host_view_has(view, search->fit.set, host) && view->slots[host] > 0 &&
                   view->kept[host] == 0;
        status = may ? empty_host(search, host) : ALLOT_OK;
    }
    return status;
}

/* ---- What all together can do ---------------------------------------------------------------- */

int64_t allot__sum_below(const allot__relation *relation, int32_t high, const int64_t *values)
{
    const int32_t *range, *end;
    int64_t sum = 0;
    allot__ranges_at(&relation->low, high, &range, &end);
    for (; range < end; range += 2)
        for (int32_t place = range[0]; place < range[1]; place++)
            sum += values[relation->low.order[place]];
    return sum;
}

/* The most slots that candidates of queues that a queue may preempt can free. */
static int64_t reach_of(allot__candidates *candidates, int32_t high)
{
    if (candidates->reach_at[high] != candidates->spent) {
        candidates->reach[high] =
            allot__sum_below(candidates->work->plan->relation, high, candidates->slots_left);
        candidates->reach_at[high] = candidates->spent;
    }
    return candidates->reach[high];
}

/* Is it at least so much? Slots spent since it was computed may be of its queues, or not. */
static bool reaches(allot__candidates *candidates, int32_t high, int64_t slots)
{
    int64_t since = candidates->spent - candidates->reach_at[high];
    bool known = candidates->reach_at[high] >= 0;
    if (known && (candidates->reach[high] < slots || candidates->reach[high] - since >= slots))
        return candidates->reach[high] >= slots;
    return reach_of(candidates, high) >= slots;
}

/* Is a limit exceeded by more than all candidates count in it? */
static bool helpless(const allot__search *search)
{
    const allot__fit *fit = &search->fit;
    int32_t count;
    if (fit->bounds->resources && !fit->resumes &&
        allot__resources_hopeless(fit->bounds->resources, fit->number))
        return true;
    const allot__bound_entry *entries = allot__bounds_entries(fit->bounds, fit->number, &count);
    for (int32_t i = 0; i < count; i++) {
        int64_t above = allot__fit_above(fit, &entries[i]);
        if (above > 0 && entries[i].bound < search->candidates->help_count &&
            above > search->candidates->helps[entries[i].bound])
            return true;
    }
    return false;
}

/* With an exclusive job, or limits by host, more may become free than the victims' slots. */
static bool hopeless(allot__search *search)
{
    const allot__fit *fit = &search->fit;
    if (helpless(search))
        return true;
    bool simple = !fit->exclusive && !allot__bounds_by_host(fit->bounds, fit->number);
    int64_t least = simple && fit->lack > 1 ? fit->lack : 1;
    return !reaches(search->candidates, fit->job->queue, least);
}

static int find_victims(allot__search *search)
{
    int status = ALLOT_OK;
    bool together = false;
    allot_fewest fewest = search->candidates->work->rules[0].policy->fewest;
    if (fewest == ALLOT_OPTIMAL_MINI_JOB && allot__search_fewest(search, &status))
        return ALLOT_OK;
    bool whole = search->fit.exclusive && !search->fit.resumes;
    bool own = search->fit.resumes && search->fit.over <= 0 && !search->fit.whole;
    if (status == ALLOT_OK && whole)
        status = whole_hosts(search);
    else if (status == ALLOT_OK && own)
        status = own_hosts(search, false);
    if (status == ALLOT_OK && !own && !(whole && search->fit.lack > 0))
        status = merge_down(search, false);
    if (status == ALLOT_OK && !allot__fits(&search->fit)) {
        status = own ? own_hosts(search, true) : merge_down(search, true);
        together = true;
    }
    if (status == ALLOT_OK && (together || fewest != ALLOT_ONE_BY_ONE) && allot__fits(&search->fit))
        allot__search_spare(search);
    return status;
}

/* ---- Its end --------------------------------------------------------------------------------- */

/* Slots that guards protect in queues that a queue may preempt: constant over a cycle. */
static int64_t protected_below(allot__candidates *candidates, int32_t high)
{
    int64_t *known = &candidates->protected_below[high];
    if (*known < 0)
        *known =
            allot__sum_below(candidates->work->plan->relation, high, candidates->slots_protected);
    return *known;
}

static void set_why(const allot__search *search, allot__found *found)
{
    allot__candidates *candidates = search->candidates;
    const allot__fit *fit = &search->fit;
    int32_t high = fit->job->queue;
    int64_t reach = reach_of(candidates, high);
    int64_t protected = protected_below(candidates, high);
    found->binding = fit->over > 0 ? allot__fit_binding(fit) : -1;
    if (fit->over > 0 && found->binding < 0) {
        found->why = ALLOT_PEND_RESOURCE;
        allot__resources_allow(fit->bounds->resources, fit->number, &found->binding);
    } else if (fit->over > 0) {
        found->why = ALLOT_PEND_LIMIT;
    } else if (fit->lack <= 0) {
        found->why = ALLOT_PEND_NOT;
    } else if (fit->exclusive && !fit->resumes) {
        found->why = ALLOT_PEND_EXCLUSIVE;
    } else {
        found->above = reach > 0 ? ALLOT_PEND_FEW : ALLOT_PEND_SLOTS;
        found->most = protected > 0 ? fit->job->slots - search->lack + reach + protected : 0;
        found->why = found->most >= fit->job->slots ? ALLOT_PEND_PROTECTED : found->above;
    }
}

void allot__search_begin(allot__candidates *candidates, int32_t job, allot__search *out)
{
    *out = (allot__search){.candidates = candidates};
    allot__host_view_as(candidates->view, allot__job_at(candidates->work->state->jobs, job)->queue);
    allot__fit_begin(candidates->view, candidates->bounds, job, candidates->stamp, &out->fit);
    out->lack = out->fit.lack;
}

void allot__search_end(allot__search *search, int64_t gains, int64_t changes, allot__found *found)
{
    allot__candidates *candidates = search->candidates;
    const allot__fit *fit = &search->fit;
    bool alike = search->tried && fit->over <= 0 && !fit->whole && !fit->exclusive;
    *found = (allot__found){.job = found->job, .victims = candidates->chosen, .binding = -1};
    found->least = fit->job->slots - (alike ? fit->lack - 1 : 0);
    found->most = INT64_MAX;
    if (allot__fits(&search->fit))
        found->count = search->count;
    else
        set_why(search, found);
    while (search->count > 0)
        allot__search_leave(search, search->count - 1);
    for (int32_t i = 0; i < found->count; i++) {
        found->held = found->held ||
                      allot__job_at(candidates->work->state->jobs, found->victims[i])->notifying;
    }
    candidates->view->gains = gains;
    candidates->view->changes = changes;
}

int allot__candidates_search(allot__candidates *candidates, allot__found *found)
{
    allot__search search;
    allot__search_begin(candidates, found->job, &search);
    int64_t gains = candidates->view->gains;
    int64_t changes = candidates->view->changes;
    bool barred = allot__barred_by_type(candidates->work, search.fit.job);
    int status = ALLOT_OK;
    if (!barred && !allot__fits(&search.fit) && !hopeless(&search)) {
        status = find_victims(&search);
        search.tried = true;
    }
    allot__search_end(&search, gains, changes, found);
    return status;
}
