/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* gone.c: what protects a running job, or why it is preempted all the same. */
#include "engine/explain/job.h"

#include "engine/jobs/limits/resource.h"
#include "engine/jobs/turn.h"
#include "engine/rows/order.h"

/* Does the policy use that parameter? */
static bool guards(const allot__job_explanation *it, int32_t column)
{
    const allot__vector *all = &it->about.rules->policy->guards;
    for (size_t i = 0; i < all->count; i++) {
        const allot__guard *guard = (const allot__guard *)all->items + i;
        if (guard->value.kind == ALLOT_FROM_COLUMN && guard->value.value == column)
            return true;
    }
    return false;
}

static bool counter_of(const allot__job_explanation *it, int32_t column, allot__counter *out)
{
    allot_protection of = allot__protection_of(it->queues, it->job->application, it->job->queue);
    return allot__job_counter(&of, it->job, it->about.work->state->now, column, out) &&
           guards(it, column);
}

/* P-30 ... P-34, in the order of their columns: a job's value and the bound. `says` may continue
 * with whether it protects, and for how long, since when, or from when. */
static const struct parameter {
    const char *name, *says, *spares;
    int32_t unit; /* seconds in a unit of what plans state */
    bool up;      /* a larger parameter would protect a job */
} parameters[] = {
    {"MAX_JOB_PREEMPT", "it was preempted {} of {} times", "max_job_preempt of {}", 1, false},
    {"MAX_TOTAL_TIME_PREEMPT", "it was suspended for {} of {} s",
     "max_total_time_preempt of {} minutes", 60, false},
    {"NO_PREEMPT_INTERVAL",
     "it has run for {} s without a break, and for {} s is left alone{?, for {} s from now|}",
     "no_preempt_interval of {} minutes", 60, true},
    {"NO_PREEMPT_RUN_TIME",
     "it has run for {} s in all, and from {} s on is left alone, "
     "{?since {} s|in {} s from now}",
     "no_preempt_run_time of {} minutes", 60, false},
    {"NO_PREEMPT_FINISH_TIME",
     "by its run limit {} s are left, and in its last {} s it is left alone, "
     "{?since {} s|in {} s from now}",
     "no_preempt_finish_time of {} minutes", 60, true},
};

enum { PARAMETERS = sizeof parameters / sizeof *parameters };

/* ---- What protects --------------------------------------------------------------------------- */

static void explain_parameters(const allot__job_explanation *it)
{
    for (int32_t i = 0; i < PARAMETERS; i++) {
        allot__counter of;
        int32_t column = ALLOT_TASK_PREEMPTIONS_LEFT + i;
        if (!counter_of(it, column, &of) || (column == ALLOT_TASK_INTERVAL_OVER && of.bound <= 0))
            continue;
        int64_t since = (column == ALLOT_TASK_INTERVAL_OVER) - of.left;
        SAY(&it->about, "{} {?protects|does not protect} it: {} (P-{}).", parameters[i].name,
            of.left <= 0,
            PHRASE(parameters[i].says, of.has, of.bound, of.left <= 0, since, of.left).text,
            30 + i);
    }
}

static void explain_type(const allot__job_explanation *it)
{
    switch (allot__job_ineligible(it->about.work, it->job)) {
    case ALLOT__INELIGIBLE_EXCLUSIVE:
        SAY(&it->about, "It is left alone: PREEMPT_JOBTYPE does not name EXCLUSIVE (P-40).");
        return;
    case ALLOT__INELIGIBLE_BACKFILL:
        SAY(&it->about, "It is backfill, which is left alone unless PREEMPT_JOBTYPE names BACKFILL "
                        "and its queue is preemptable (P-40).");
        return;
    case ALLOT__INELIGIBLE_FORCED:
        SAY(&it->about, "It was forced to run, so no job preempts it (P-8).");
        return;
    default:
        return;
    }
}

/* The first few queues that may preempt it. */
static int32_t explain_above(const allot__job_explanation *it)
{
    allot__sentence names = {.len = 0};
    for (int32_t high = 0; high < allot__queue_count(it->about.work->plan); high++)
        if (allot__explain_may(it, high, it->job->queue))
            LIST_FEW(&names, "/{.50}", allot__explain_queue_of(it, high)->name);
    bool more = names.items > ALLOT__EXPLAIN_NAMED;
    if (names.items == 0)
        SAY(&it->about, "No queue may preempt jobs of /{} (P-7).", it->queue->name);
    else
        SAY(&it->about,
            "It keeps running. Jobs of {?{}|these} queues may preempt it (P-7): {}{?, ...|.}", more,
            names.items, names.text, more);
    return names.items;
}

/* The guard that protected it, unless it is an explained parameter. */
static const char *guard_of(const allot__job_explanation *it)
{
    int32_t mark = it->out->searched ? it->out->candidates.ineligible[it->number] : ALLOT__ELIGIBLE;
    const allot__guard *guard = allot__explain_guard(&it->about, mark);
    return guard && allot__explain_parameter(guard) < 0 ? guard->label : NULL;
}

void allot__explain_protection(const allot__job_explanation *it)
{
    if (explain_above(it) == 0)
        return;
    explain_type(it);
    explain_parameters(it);
    if (guard_of(it))
        SAY(&it->about, "Guard {.60} protects it: it cannot be chosen.", guard_of(it));
    else if (it->out->searched && it->out->candidates.ineligible[it->number] == ALLOT__ELIGIBLE)
        SAY(&it->about, "In this cycle it could have been preempted, but no job needed it.");
}

/* ---- What would have protected --------------------------------------------------------------- */

/* An amount in units, rounded up. */
static int64_t units(int64_t amount, const struct parameter *of)
{
    int64_t whole = amount / of->unit + (of->up && amount % of->unit > 0);
    return of->up && whole < 1 ? 1 : whole;
}

/* The policy's own guards, by their labels, which did not protect it. */
static void explain_own_guards(const allot__job_explanation *it)
{
    const allot_policy *policy = it->about.rules->policy;
    const allot__guard *guards = policy->guards.items;
    allot__sentence names = {.len = 0};
    for (size_t i = 0; i < policy->guards.count; i++)
        if (allot__explain_parameter(&guards[i]) < 0)
            LIST_FEW(&names, "{.50}", guards[i].label);
    if (names.items > 0)
        SAY(&it->about, "Guard{?|s} of policy \"{.100}\" let it go: {}{?, ...|}.", names.items,
            policy->name, names.text, names.items > ALLOT__EXPLAIN_NAMED);
}

static void explain_sparing(const allot__job_explanation *it)
{
    bool begun = false;
    for (int32_t i = 0; i < PARAMETERS; i++) {
        allot__counter of;
        int32_t column = ALLOT_TASK_PREEMPTIONS_LEFT + i;
        counter_of(it, column, &of);
        if (column == ALLOT_TASK_FINISH_TIME_LEFT &&
            (it->job->run_limit == ALLOT_NONE || of.has <= 0))
            continue;
        int64_t value = units(of.has, &parameters[i]);
        if (value <= 0 || !guards(it, column))
            continue;
        if (!begun)
            SAY(&it->about, "Any one of these would have protected it, stated where it is stated "
                            "now, or else for its application, its queue or the plan (A-6):");
        begun = true;
        SAY(&it->about, "  {} or {?more|less} (P-{}).", PHRASE(parameters[i].spares, value).text,
            parameters[i].up, 30 + i);
    }
    explain_own_guards(it);
}

/* Hosts as a queue saw them before an order. Must not move, as the view points into it. */
typedef struct past {
    allot__work work;
    allot__host_view view;
} past;

static void redo(past *of, const allot_job_order *order, allot__job_place *room)
{
    const allot__job_place *places;
    if (order->kind > ALLOT_ORDER_RESIZE) {
        if (!order->held)
            allot__host_view_job(&of->view, order->job, order->kind == ALLOT_ORDER_SUSPEND, -1);
        return;
    }
    int32_t count = allot__order_places(&of->work, order, order->places, room, &places);
    allot__host_view_order(&of->view, order->kind, order->job, places, count, 1);
}

static int look_back(allot__job_explanation *it, int32_t orders, int32_t viewer, past *out)
{
    const allot_job_order *all = it->out->orders.items;
    out->work = *it->about.work;
    out->work.arena = &it->arena;
    int status = allot__host_view_make(&out->work, &out->view);
    if (status == ALLOT_OK)
        status = allot__host_view_lease(&out->view, it->about.decision->leases);
    allot__job_place *places =
        allot__arena_take(&it->arena, (size_t)out->view.count + 1, sizeof *places);
    if (!places)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < orders && status == ALLOT_OK; i++)
        redo(out, &all[i], places);
    if (status == ALLOT_OK)
        allot__host_view_as(&out->view, viewer);
    return status;
}

typedef struct inquiry {
    const allot__job_explanation *it;
    const allot_job_order *order;
    allot__job_explanation high; /* of the job that preempts it */
    int32_t first, end;          /* orders: that job's victims, if no order is held */
    int32_t row;                 /* the job's own */
    allot__candidate_list list;  /* for columns of two queues */
    past past;                   /* before these victims stopped */
} inquiry;

static const allot_job_order *order_at(const inquiry *of, int32_t i)
{
    return (const allot_job_order *)of->it->out->orders.items + i;
}

static bool stops(const allot_job_order *order)
{
    return order->kind == ALLOT_ORDER_SUSPEND || order->kind == ALLOT_ORDER_KILL;
}

static const allot__candidate_rows *rows_of(const inquiry *of)
{
    return &of->it->out->candidates.rows;
}

/* ---- For which job --------------------------------------------------------------------------- */

static void explain_held(const inquiry *of)
{
    if (of->order->held)
        SAY(&of->it->about, "That waits until it was notified of its new slots (A-15).");
}

/* Explains a stop for closed hosts: neither its other hosts nor its protection matter. */
static void explain_closed(const inquiry *of)
{
    const allot__job_explanation *it = of->it;
    SAY(&it->about,
        "It {} in this cycle: {} slot{|s} of it {is|are} on hosts that are closed, and what runs "
        "there is reclaimed (C-10, E-34).",
        allot__phrase_done(of->order->action), of->order->closed);
    explain_held(of);
    if (!allot__action_ends(it->queue->on_preempt))
        SAY(&it->about, "Its queue would have it suspended, but so it would keep its slots there "
                        "(P-25, P-41).");
    SAY(&it->about, "Nothing protects a job from that. On hosts that are closed to drain it would "
                    "run on to its end.");
}

static void explain_action(const inquiry *of)
{
    const allot_job_order *order = of->order;
    const allot__job_explanation *it = of->it;
    if (order->closed > 0) {
        explain_closed(of);
        return;
    }
    if (order->preemptor < 0) {
        SAY(&it->about,
            "It is killed in this cycle: the job that its slots are reserved for is due (P-43).");
        return;
    }
    SAY(&it->about,
        "It {} in this cycle, for job {.100} of /{} (PRIORITY {}), which asks for {} slot{|s} "
        "(P-7{?|, P-41}).",
        allot__phrase_done(order->action), of->high.job->thing.id, of->high.queue->name,
        of->high.queue->priority, of->high.job->slots, order->action == ALLOT_SUSPEND);
    explain_held(of);
    if (order->cancelled > 0)
        SAY(&it->about, "With it go {} slot{|s} that it was given to grow by (P-53).",
            order->cancelled);
    if (!order->held && it->job->preempted > 0)
        SAY(&it->about, "It was preempted {} time{|s} before.", it->job->preempted);
}

/* ---- Among which ----------------------------------------------------------------------------- */

static bool goes(const inquiry *of, int32_t job)
{
    int32_t at = of->it->out->jobs[job].order;
    return at >= of->first && at < of->end;
}

/* Was it a candidate when its preemptor had its turn? */
static bool candidate(const inquiry *of, int32_t job)
{
    const allot__job_explanation *it = of->it;
    const allot__job *other = allot__explain_job(it, job);
    int32_t at = it->out->jobs[job].order;
    uint8_t ineligible = it->out->candidates.ineligible[job];
    bool free =
        ineligible == ALLOT__ELIGIBLE || (ineligible == ALLOT__INELIGIBLE_TAKEN && at >= of->first);
    return free && allot__explain_may(it, of->high.job->queue, other->queue) &&
           allot__explain_shares(&of->high, job) > 0 &&
           !allot__backfill_reserved(it->queues, other, of->high.job->queue);
}

static const allot__order *keys_of(const inquiry *of)
{
    return &of->it->about.rules->policy->victims;
}

static int64_t key_value(const inquiry *of, const allot_key *key, int32_t row)
{
    int64_t room;
    const allot__candidate_rows *rows = rows_of(of);
    int32_t queue = allot__explain_job(of->it, rows->jobs[row])->queue;
    if (allot__job_pair_column(key->source))
        return key->source.value == ALLOT_TASK_PREFERENCE ? of->list.preference[queue]
                                                          : of->list.queue_order[queue];
    return *allot__rowset_values(&rows->of.rows, key->source, row, 1, &room);
}

static const allot__job *job_at(const inquiry *of, int32_t row)
{
    return allot__explain_job(of->it, rows_of(of)->jobs[row]);
}

static const char *host_name(const inquiry *of, int32_t row)
{
    const allot__host_view *view = &of->it->out->view;
    int32_t host = allot__job_host(of->it->jobs, view, rows_of(of)->jobs[row]);
    int32_t site = host >= 0 ? view->site[host] : -1;
    return site >= 0 ? of->it->about.work->state->tasks.sites[site].name : "the cluster";
}

/* A load, of thousandths. */
static allot__phrase load(int64_t of)
{
    return PHRASE("{}.{}{}{}", of / 1000, of / 100 % 10, of / 10 % 10, of % 10);
}

/* Explains how two rows differ, and what would reverse their order. */
static void explain_values(const inquiry *of, const allot_key *key, int64_t mine, int32_t other)
{
    const char *its = job_at(of, other)->thing.id;
    bool column = key->source.kind == ALLOT_FROM_COLUMN;
    int64_t theirs = key_value(of, key, other);
    if (column && key->source.value == ALLOT_TASK_HOST) {
        SAY(&of->it->about,
            "  What decides is the order of hosts, as their loads are the same: {.60} comes before "
            "{.60} (A-3).",
            host_name(of, of->row), host_name(of, other));
        return;
    }
    if (column && key->source.value == ALLOT_TASK_LOAD && !key->descending) {
        SAY(&of->it->about,
            "  What decides is the load, least first: {.60} has {}, {.60} {}. With more than that "
            "on "
            "{.60}, {.60} would go first (P-10).",
            host_name(of, of->row), load(mine).text, host_name(of, other), load(theirs).text,
            host_name(of, of->row), its);
        return;
    }
    SAY(&of->it->about, "{} {}", allot__explain_decides(&of->it->about, key, mine, theirs).text,
        allot__explain_reverse(&of->it->about, key, theirs, PHRASE("{.60}", its).text).text);
}

static void explain_key(const inquiry *of, int32_t other)
{
    for (int32_t i = 0; i < keys_of(of)->count; i++) {
        const allot_key *key = &keys_of(of)->keys[i];
        int64_t mine = key_value(of, key, of->row);
        if (mine != key_value(of, key, other)) {
            explain_values(of, key, mine, other);
            return;
        }
    }
    SAY(&of->it->about, "  All keys agree: the larger id goes first (A-4).");
}

/* Its place among the candidates for that job. */
typedef struct standing {
    int32_t count, before, passed; /* all; those before it; of these, those that stay */
    int32_t next;                  /* the row of the first behind it that stays, or -1 */
} standing;

static standing find_standing(const inquiry *of)
{
    const allot__candidate_rows *rows = rows_of(of);
    standing out = {.count = 1, .next = -1};
    for (int32_t row = 0; row < rows->count; row++) {
        if (row == of->row || !candidate(of, rows->jobs[row]))
            continue;
        bool first = allot__candidate_before(rows, &of->list, row, of->row);
        bool stays = !goes(of, rows->jobs[row]);
        out.count++;
        out.before += first;
        out.passed += first && stays;
        if (!first && stays &&
            (out.next < 0 || allot__candidate_before(rows, &of->list, row, out.next)))
            out.next = row;
    }
    return out;
}

static void explain_order(const inquiry *of)
{
    standing at = find_standing(of);
    SAY(&of->it->about,
        "Running jobs go by {} (P-10 ... P-12); of {} that could go for that job it is number {}.",
        keys_of(of)->count > 0 ? allot__explain_keys(&of->it->about, ALLOT_TASKS, keys_of(of)).text
                               : "id",
        at.count, at.before + 1);
    if (at.passed > 0)
        SAY(&of->it->about,
            "  {} before it stay{s|}: without them there is room enough, or they make none (P-14).",
            at.passed);
    if (at.next < 0) {
        SAY(&of->it->about, "No job behind it stays.");
        return;
    }
    const allot__job *next = job_at(of, at.next);
    SAY(&of->it->about, "The next that stays is {.100} of /{}.", next->thing.id,
        allot__explain_queue_of(of->it, next->queue)->name);
    explain_key(of, at.next);
}

/* ---- By how much ----------------------------------------------------------------------------- */

/* Was some host of the job overfull? */
static bool overdrawn(const inquiry *of, const allot_job_order *order)
{
    bool some = false;
    for (int32_t i = 0; i < order->place_count; i++) {
        int32_t host = allot__explain_host(of->it, &order->places[i]);
        some = some || (host >= 0 && of->past.view.free[host] < 0);
    }
    return some;
}

/* Does the job lack only slots, and do its victims' slots add up to these? */
static bool adds_up(const inquiry *of)
{
    const allot__bounds *bounds = &of->it->out->bounds;
    int32_t count;
    (void)allot__bounds_entries(bounds, of->high.number, &count);
    bool others =
        (of->high.job->flags & ALLOT_JOB_EXCLUSIVE) != 0 ||
        (bounds->resources != NULL && allot__resources_asks(bounds->resources, of->high.number));
    for (int32_t i = of->first; i < of->end; i++)
        others =
            others || overdrawn(of, order_at(of, i)) ||
            (allot__explain_job(of->it, order_at(of, i)->job)->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    return count == 0 && !others && of->high.job->state == ALLOT_PENDING &&
           of->it->about.rules->policy->fewest != ALLOT_OPTIMAL_MINI_JOB;
}

/* Were slots kept for a job whose victims are held? No order states these slots. */
static bool kept_before(const inquiry *of)
{
    for (int32_t i = 0; i < of->first; i++)
        if (order_at(of, i)->held)
            return true;
    return false;
}

static void explain_less(const inquiry *of, int64_t less)
{
    if (less > 0)
        SAY(&of->it->about,
            "With {} more free there{?, or asked for by that job less,|} it would not go for that "
            "one.",
            less, less < of->high.job->slots);
}

static void explain_wanted(inquiry *of)
{
    int64_t free = allot__host_view_total(&of->past.view, of->high.set);
    int64_t before = 0, all = 0, needs = of->high.job->slots;
    for (int32_t i = of->first; i < of->end; i++) {
        int64_t slots = allot__explain_shares(&of->high, order_at(of, i)->job);
        before += order_at(of, i) < of->order ? slots : 0;
        all += slots;
    }
    int32_t count = of->end - of->first;
    allot__phrase jobs = PHRASE("{} job{|s} ({} slot{|s}) go{?es|} for it", count, all, count);
    if (of->high.job->state != ALLOT_PENDING) {
        SAY(&of->it->about, "That one is resumed on its own hosts; {} (A-12).", jobs.text);
    } else if (kept_before(of)) {
        SAY(&of->it->about, "{} (A-11, P-13).", jobs.text);
    } else {
        SAY(&of->it->about, "That job found {} of its {} slot{|s} free, and {} (A-11, P-13).",
            free < needs ? free : needs, needs, jobs.text);
        explain_less(of, adds_up(of) ? needs - free - before : 0);
    }
    allot__explain_released(of->it, of->high.number);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int find(inquiry *of, allot__job_explanation *it)
{
    allot__arena *arena = &it->arena;
    size_t queues = (size_t)allot__queue_count(it->about.work->plan);
    int32_t *sorted = allot__arena_take(arena, 2 * queues, sizeof *sorted);
    of->list.preference = allot__arena_take(arena, queues, sizeof(int64_t));
    of->list.queue_order = allot__arena_take(arena, queues, sizeof(int64_t));
    if (!sorted || !of->list.preference || !of->list.queue_order)
        return ALLOT_ENOMEM;
    allot__job_pairs(it->about.work->plan, of->high.job->queue, of->list.preference,
                     of->list.queue_order, sorted);
    while (of->row < rows_of(of)->count && rows_of(of)->jobs[of->row] != it->number)
        of->row++;
    of->first = it->verdict.order;
    while (of->first > 0 && stops(order_at(of, of->first - 1)) &&
           order_at(of, of->first - 1)->preemptor == of->order->preemptor)
        of->first--;
    of->end = it->verdict.order + 1;
    while ((size_t)of->end < it->out->orders.count && stops(order_at(of, of->end)) &&
           order_at(of, of->end)->preemptor == of->order->preemptor)
        of->end++;
    return look_back(it, of->first, of->high.job->queue, &of->past);
}

int allot__explain_gone(allot__job_explanation *it)
{
    inquiry of = {.it = it, .order = allot__explain_order(it), .high = *it};
    bool due = of.order->preemptor < 0;
    if (!due) {
        of.high.number = of.order->preemptor;
        of.high.job = allot__explain_job(it, of.high.number);
        of.high.queue = allot__explain_queue_of(it, of.high.job->queue);
        of.high.set = it->queues->set_of[of.high.job->queue];
    }
    explain_action(&of);
    if (due)
        return ALLOT_OK;
    if (!of.order->held) {
        int status = find(&of, it);
        if (status != ALLOT_OK)
            return status;
        explain_wanted(&of);
        explain_order(&of);
    }
    explain_sparing(it);
    return ALLOT_OK;
}
