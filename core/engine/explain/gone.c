/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* gone.c: why a job is preempted: for which job, before which jobs in the order, and by how much.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/jobs/limits/resource.h"
#include "engine/explain/job.h"

typedef struct inquiry {
    const allot__job_explanation *it;
    const allot_job_order *order;
    allot__job_explanation high; /* of the job that it goes for */
    int32_t first, end;          /* orders: those that go for that job, if nothing is held back */
    int32_t row;                 /* its own */
    allot__candidate_list list;  /* what two queues have together */
    allot__past past;            /* before these went */
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
        allot__explain(&of->it->about, "That waits until it was notified of its new slots (A-15).");
}

/* Neither its hosts nor its protection matter. */
static void explain_closed(const inquiry *of)
{
    const allot__job_explanation *it = of->it;
    allot__explain(
        &it->about,
        "It %s in this cycle: %s of it %s on hosts that are closed, and what runs there is "
        "reclaimed (C-10, E-34).",
        allot__phrase_done(of->order->action), allot__phrase_slots(of->order->closed).text,
        of->order->closed == 1 ? "is" : "are");
    explain_held(of);
    if (!allot__action_ends(it->queue->on_preempt)) {
        allot__explain(&it->about, "Its queue would have it suspended, but so it would keep its "
                                   "slots there (P-25, P-41).");
    }
    allot__explain(&it->about,
                   "Nothing protects a job from that. On hosts that are closed to drain "
                   "it would run on to its end.");
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
        allot__explain(&it->about,
                       "It is killed in this cycle: the job that its slots are reserved "
                       "for is due (P-43).");
        return;
    }
    allot__explain(&it->about,
                   "It %s in this cycle, for job %.100s of /%s (PRIORITY %" PRId32
                   "), which asks for %s (P-7%s).",
                   allot__phrase_done(order->action), of->high.job->id, of->high.queue->name,
                   of->high.queue->priority, allot__phrase_slots(of->high.job->slots).text,
                   order->action == ALLOT_SUSPEND ? "" : ", P-41");
    explain_held(of);
    if (order->cancelled > 0) {
        allot__explain(&it->about, "With it go %s that it was given to grow by (P-53).",
                       allot__phrase_slots(order->cancelled).text);
    }
    if (!order->held && it->job->preempted > 0) {
        allot__explain(&it->about, "It was preempted %" PRId32 " time%s before.",
                       it->job->preempted, it->job->preempted == 1 ? "" : "s");
    }
}

/* ---- Among which ----------------------------------------------------------------------------- */

static bool goes(const inquiry *of, int32_t job)
{
    int32_t at = of->it->out->jobs[job].order;
    return at >= of->first && at < of->end;
}

/* Was it to choose from, when its preemptor had its turn? */
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
    if (allot__job_pair_column(key->source)) {
        return key->source.value == ALLOT_TASK_PREFERENCE ? of->list.preference[queue]
                                                          : of->list.queue_order[queue];
    }
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

/* What two rows differ in, and what would turn them round. */
static void explain_values(const inquiry *of, const allot_key *key, int64_t mine, int32_t other)
{
    const char *name = allot__explain_source(&of->it->about, ALLOT_TASKS, key->source);
    const char *its = job_at(of, other)->id;
    bool column = key->source.kind == ALLOT_FROM_COLUMN;
    int64_t theirs = key_value(of, key, other);
    if (column && key->source.value == ALLOT_TASK_HOST) {
        allot__explain(&of->it->about,
                       "  What decides is the order of hosts, as their loads are the same: %.60s "
                       "comes before %.60s (A-3).",
                       host_name(of, of->row), host_name(of, other));
        return;
    }
    if (column && key->source.value == ALLOT_TASK_LOAD && !key->descending) {
        allot__explain(&of->it->about,
                       "  What decides is the load, least first: %.60s has %" PRId64
                       ".%03d, %.60s %" PRId64 ".%03d. With more than that on %.60s, %.60s "
                       "would go first (P-10).",
                       host_name(of, of->row), mine / 1000, (int)(mine % 1000),
                       host_name(of, other), theirs / 1000, (int)(theirs % 1000),
                       host_name(of, of->row), its);
        return;
    }
    if (allot__explain_is_flag(&of->it->about, ALLOT_TASKS, key->source)) {
        allot__explain(&of->it->about,
                       "  What decides is %s, %s first: %s against %s. Were that %s, too, the keys "
                       "behind it would decide.",
                       name, allot__phrase_first(true, key->descending),
                       allot__phrase_value(true, mine).text, allot__phrase_value(true, theirs).text,
                       allot__phrase_value(true, theirs).text);
        return;
    }
    allot__explain(&of->it->about,
                   "  What decides is %s, %s first: %" PRId64 " against %" PRId64
                   ". With %s %s %" PRId64 ", %.60s would go first.",
                   name, key->descending ? "largest" : "smallest", mine, theirs, name,
                   key->descending ? "below" : "above", theirs, its);
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
    allot__explain(&of->it->about, "  All keys agree: the larger id goes first (A-4).");
}

/* Where it stands among those that could go for that job. */
typedef struct standing {
    int32_t count, before, passed; /* all; those before it; of these those that stay */
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
    allot__explain(&of->it->about,
                   "Running jobs go by %s (P-10 ... P-12); of %" PRId32
                   " that could go for that job it is number %" PRId32 ".",
                   keys_of(of)->count > 0
                       ? allot__explain_keys(&of->it->about, ALLOT_TASKS, keys_of(of)).text
                       : "id",
                   at.count, at.before + 1);
    if (at.passed > 0) {
        allot__explain(&of->it->about,
                       "  %" PRId32 " before it stay%s: without them there is room enough, or they "
                       "make none (P-14).",
                       at.passed, at.passed == 1 ? "s" : "");
    }
    if (at.next < 0) {
        allot__explain(&of->it->about, "No job behind it stays.");
        return;
    }
    const allot__job *next = job_at(of, at.next);
    allot__explain(&of->it->about, "The next that stays is %.100s of /%s.", next->id,
                   allot__explain_queue_of(of->it, next->queue)->name);
    explain_key(of, at.next);
}

/* ---- By how much ----------------------------------------------------------------------------- */

/* Had some host of a job less than nothing free? */
static bool overdrawn(const inquiry *of, const allot_job_order *order)
{
    bool some = false;
    for (int32_t i = 0; i < order->place_count; i++) {
        int32_t host = allot__explain_host(of->it, &order->places[i]);
        some = some || (host >= 0 && of->past.view.free[host] < 0);
    }
    return some;
}

/* Does the job lack only slots, and do those of the jobs that go add up to them? */
static bool adds_up(const inquiry *of)
{
    const allot__bounds *bounds = &of->it->out->bounds;
    int32_t count;
    (void)allot__fit_entries(bounds, of->high.number, &count);
    bool others =
        (of->high.job->flags & ALLOT_JOB_EXCLUSIVE) != 0 ||
        (bounds->resources != NULL && allot__resources_asks(bounds->resources, of->high.number));
    for (int32_t i = of->first; i < of->end; i++) {
        others =
            others || overdrawn(of, order_at(of, i)) ||
            (allot__explain_job(of->it, order_at(of, i)->job)->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    }
    return count == 0 && !others && of->high.job->state == ALLOT_PENDING &&
           of->it->about.rules->policy->fewest != ALLOT_OPTIMAL_MINI_JOB;
}

/* Were slots kept for a job whose victims are held back? There is no order for these. */
static bool kept_before(const inquiry *of)
{
    for (int32_t i = 0; i < of->first; i++)
        if (order_at(of, i)->held)
            return true;
    return false;
}

static void explain_less(const inquiry *of, int64_t less)
{
    if (less > 0) {
        allot__explain(&of->it->about,
                       "With %" PRId64 " more free there%s it would not go for that one.", less,
                       less < of->high.job->slots ? ", or asked for by that job less," : "");
    }
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
    allot__phrase jobs = allot__phrase_jobs(count, all);
    if (of->high.job->state != ALLOT_PENDING) {
        allot__explain(&of->it->about,
                       "That one is resumed on its own hosts; %s go%s for it (A-12).", jobs.text,
                       count == 1 ? "es" : "");
    } else if (kept_before(of)) {
        allot__explain(&of->it->about, "%s go%s for it (A-11, P-13).", jobs.text,
                       count == 1 ? "es" : "");
    } else {
        allot__explain(&of->it->about,
                       "That job found %" PRId64
                       " of its %s free, and %s go%s for it (A-11, P-13).",
                       free < needs ? free : needs, allot__phrase_slots(needs).text, jobs.text,
                       count == 1 ? "es" : "");
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
    return allot__explain_back(it, of->first, of->high.job->queue, &of->past);
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
    allot__explain_sparing(it);
    return ALLOT_OK;
}
