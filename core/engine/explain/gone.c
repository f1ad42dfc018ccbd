/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* gone.c: what protects a running job, or why it is preempted all the same. */
#include "engine/explain/job.h"

#include "engine/jobs/limits/resource.h"
#include "engine/jobs/turn.h"
#include "engine/rows/order.h"

/* ---- What protects --------------------------------------------------------------------------- */

/* The policy's guards; those that read a parameter P-30 ... P-34 with the job's value and the
 * bound. */
static void put_guards(const allot__job_explanation *it)
{
    const allot__vector *guards = &it->about.rules->policy->guards;
    allot_protection of = allot__protection_of(it->queues, it->job->application, it->job->queue);
    allot__facts_open(&it->about, "guards", "[");
    for (size_t i = 0; i < guards->count; i++) {
        const allot__guard *guard = (const allot__guard *)guards->items + i;
        allot__counter counter = {.has = 0};
        int32_t number = allot__explain_parameter(guard);
        bool counts = number >= 0 && allot__job_counter(&of, it->job, it->about.work->state->now,
                                                        guard->value.value, &counter);
        OBJECT(&it->about, NULL, "label number counts? has bound left", guard->label, number,
               counts, counter.has, counter.bound, counter.left);
    }
    allot__facts_end(&it->about, "]");
    FACTS(&it->about, "unlimited? policy", it->job->run_limit == ALLOT_NONE,
          it->about.rules->policy->name);
}

void allot__explain_protection(const allot__job_explanation *it)
{
    int32_t mark = it->out->searched ? it->out->candidates.ineligible[it->number] : ALLOT__ELIGIBLE;
    const allot__guard *guard = allot__explain_guard(&it->about, mark);
    int32_t type = allot__job_ineligible(it->about.work, it->job);
    allot__facts_open(&it->about, "stays", "{");
    allot__explain_queues(it);
    put_guards(it);
    FACTS(&it->about, "type", allot__explain_kind(type));
    if (guard && allot__explain_parameter(guard) < 0)
        FACTS(&it->about, "guard", guard->label);
    FACTS(&it->about, "spare?", it->out->searched && mark == ALLOT__ELIGIBLE);
    allot__facts_end(&it->about, "}");
}

/* ---- Looking back ---------------------------------------------------------------------------- */

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

/* How it differs from another row: the key that decides, and where that goes by hosts, these. */
static void put_difference(const inquiry *of, int32_t other)
{
    const allot__explanation *about = &of->it->about;
    for (int32_t i = 0; i < keys_of(of)->count; i++) {
        const allot_key *key = &keys_of(of)->keys[i];
        int64_t mine = key_value(of, key, of->row), its = key_value(of, key, other);
        if (mine == its)
            continue;
        bool column = key->source.kind == ALLOT_FROM_COLUMN;
        allot__explain_key(about, "key", key, mine, its);
        if (column && key->source.value == ALLOT_TASK_HOST)
            FACTS(about, "by", "host");
        else if (column && key->source.value == ALLOT_TASK_LOAD && !key->descending)
            FACTS(about, "by", "load");
        FACTS(about, "own_host other_host", host_name(of, of->row), host_name(of, other));
        return;
    }
}

/* Its place among the candidates for that job, and the first behind it that stays. */
static void put_order(const inquiry *of)
{
    const allot__candidate_rows *rows = rows_of(of);
    const allot__explanation *about = &of->it->about;
    int32_t count = 1, before = 0, passed = 0, next = -1;
    for (int32_t row = 0; row < rows->count; row++) {
        if (row == of->row || !candidate(of, rows->jobs[row]))
            continue;
        bool first = allot__candidate_before(rows, &of->list, row, of->row);
        bool stays = !goes(of, rows->jobs[row]);
        count++;
        before += first;
        passed += first && stays;
        if (!first && stays && (next < 0 || allot__candidate_before(rows, &of->list, row, next)))
            next = row;
    }
    allot__explain_keys(about, ALLOT_TASKS, keys_of(of));
    FACTS(about, "candidates number passed", count, before + 1, passed);
    if (next < 0)
        return;
    const allot__job *other = job_at(of, next);
    allot__facts_open(about, "next", "{");
    FACTS(about, "id", other->thing.id);
    allot__fact_queue(of->it, other->queue);
    put_difference(of, next);
    allot__facts_end(about, "}");
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

static void put_wanted(inquiry *of)
{
    const allot__explanation *about = &of->it->about;
    int64_t before = 0, all = 0;
    for (int32_t i = of->first; i < of->end; i++) {
        int64_t slots = allot__explain_shares(&of->high, order_at(of, i)->job);
        before += order_at(of, i) < of->order ? slots : 0;
        all += slots;
    }
    allot__facts_open(about, "wanted", "{");
    FACTS(about, "jobs slots before free resumes? kept? adds_up?", of->end - of->first, all, before,
          allot__host_view_total(&of->past.view, of->high.set),
          of->high.job->state != ALLOT_PENDING, kept_before(of), adds_up(of));
    allot__explain_released(of->it, of->high.number);
    allot__facts_end(about, "}");
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Why it stops, and for which job. */
static void put_stop(const inquiry *of)
{
    const allot_job_order *order = of->order;
    const allot__explanation *about = &of->it->about;
    /* "waits": until it was notified of new slots. */
    FACTS(about, "action waits? closed ends? cancelled preempted",
          allot_action_name((int)order->action), order->held, order->closed,
          allot__action_ends(of->it->queue->on_preempt), order->cancelled, of->it->job->preempted);
    if (order->preemptor < 0)
        return;
    allot__facts_open(about, "preemptor", "{");
    FACTS(about, "id", of->high.job->thing.id);
    allot__fact_queue(of->it, of->high.job->queue);
    FACTS(about, "slots", of->high.job->slots);
    allot__facts_end(about, "}");
}

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
    int status = ALLOT_OK;
    if (of.order->preemptor >= 0) {
        of.high.number = of.order->preemptor;
        of.high.job = allot__explain_job(it, of.high.number);
        of.high.queue = allot__explain_queue_of(it, of.high.job->queue);
        of.high.set = it->queues->set_of[of.high.job->queue];
    }
    allot__facts_open(&it->about, "goes", "{");
    put_stop(&of);
    if (of.order->preemptor >= 0 && !of.order->held) {
        status = find(&of, it);
        if (status == ALLOT_OK) {
            put_wanted(&of);
            put_order(&of);
        }
    }
    put_guards(it);
    allot__facts_end(&it->about, "}");
    return status;
}
