/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue.c: what a queue wants, has and gets, limits that bind jobs, and slices of pools. */
#include "engine/explain/job.h"

#include "base/least.h"
#include "base/wide.h"

enum { SHOWN = 8 }; /* queues of a pool */

typedef struct cutting {
    const allot__explanation *about;
    const allot__dispatched *out;
    const allot__queues *queues;
    const allot__slot_pool *pool;
    int32_t queue;
    int32_t *order;         /* the pool's queues in its order, without those not reached */
    allot__slice_row *rows; /* of the cut, in that order */
    int32_t count, rows_count;
    int64_t poured; /* its slice, before rule 5 of slices.h */
} cutting;

static const allot__cut *cut_of(const cutting *it, int32_t queue)
{
    return &it->out->cuts[queue];
}

/* ---- The order ------------------------------------------------------------------------------- */

static void explain_place(const cutting *it, int32_t place)
{
    int32_t queue = it->order[place];
    const allot_queue *of = allot__queue_at(it->queues, queue);
    const allot_queue_part *part = &it->out->parts[queue];
    allot__phrase over = allot__phrase_ratio((allot__u128)part->usage, (allot__u128)of->slot_share);
    SAY(it->about, "  {}. /{}{? itself|}: {} slot-seconds over a share of {} are {}; PRIORITY {}.",
        place + 1, of->name, queue == it->queue, part->usage, of->slot_share, over.text,
        of->priority);
}

static void explain_order(const cutting *it)
{
    const allot__order *order = &it->about->rules->policy->slices;
    int32_t left = 0;
    SAY(it->about, "Its queues go by {}, then as in the plan (Q-42):",
        allot__explain_keys(it->about, ALLOT_QUEUES, order).text);
    for (int32_t place = 0; place < it->count; place++)
        if (place < SHOWN || it->order[place] == it->queue)
            explain_place(it, place);
        else
            left++;
    if (left > 0)
        SAY(it->about, "  (and {} more)", left);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* What the queue's own row gets in a round. */
static void explain_gets(void *ud, const allot__slice_row *row, int64_t base, int64_t slots,
                         int32_t round)
{
    cutting *it = ud;
    if (row->queue != it->queue)
        return;
    it->poured += slots;
    int64_t part = (base * row->share + 99) / 100;
    int64_t lacks = allot__most(row->wants - row->slice, 0);
    if (slots > 0 || round == 1)
        SAY(it->about,
            "  {?First|Of what is left}: ceil({} * {} / 100) = {}, it gets {}{} ({?Q-30|Q-31}).",
            round, base, row->share, part, slots,
            slots == part    ? ""
            : slots == lacks ? ", but it wants no more than that"
                             : ", but that is all that is left",
            round);
}

static void explain_steps(cutting *it, const allot__cut *cut)
{
    const allot__slice_watch watch = {.gets = explain_gets, .ud = it};
    allot__slices_cut(it->rows, it->rows_count, cut->base, !it->pool->by_priority, &watch);
    if (it->poured < cut->row.used)
        SAY(it->about, "  It uses {}, which it keeps, but gets no more (Q-34).", cut->row.used);
}

/* Gathers rows of the cut that gave the queue its slice; false: some were cut again since. */
static bool gather(cutting *it, const allot__cut *cut)
{
    for (int32_t place = 0; place < it->count; place++) {
        const allot__cut *other = cut_of(it, it->order[place]);
        if (other->number > cut->number)
            return false;
        if (other->number == cut->number)
            it->rows[it->rows_count++] = other->row;
    }
    return true;
}

/* What it may use of its slice, if that is less. */
static void explain_may_use(const allot__explanation *about, const allot__cut *cut)
{
    SAY(about,
        "Of that it might use {} when it had its turn: what was free besides is for queues before "
        "it in the pool's order, which lack some of their slices and have their turns later "
        "(Q-43).",
        cut->may);
}

static void explain_slice(cutting *it)
{
    const allot__cut *cut = cut_of(it, it->queue);
    const allot_queue *queue = allot__queue_at(it->queues, it->queue);
    SAY(it->about,
        "Its SLOT_SHARE is {} % of {} slot{|s}{?, counted anew behind other queues (A-26)|}, and "
        "it uses or wants {}:",
        queue->slot_share, cut->base, cut->number > 1, cut->row.wants);
    if (gather(it, cut))
        explain_steps(it, cut);
    else
        SAY(it->about,
            "  First: ceil({} * {} / 100) = {}, with what it uses and wants {} (Q-30); then what "
            "is left (Q-31).",
            cut->base, queue->slot_share, (cut->base * queue->slot_share + 99) / 100,
            cut->row.first);
    SAY(it->about, "Its slice is {}.", cut->row.slice);
    if (cut->may < cut->row.slice)
        explain_may_use(it->about, cut);
    if (it->pool->by_priority)
        SAY(it->about, "What is left goes to the pool's jobs by their priority (A-30).");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void explain_pool(const cutting *it, int32_t number)
{
    const allot_pool_part *part = &it->out->pools[number];
    SAY(it->about,
        "It shares pool {}: when that had its turn, its {} queue{|s} used {} and {} were free"
        "{?, and MAX_SLOTS_IN_POOL is {}|}, so {} are divided (Q-20).",
        it->pool->name, it->pool->count, part->used, part->free, it->pool->most != ALLOT_NONE,
        it->pool->most, part->slots);
}

static int explain_slices(const allot__explanation *about, int32_t queue)
{
    const allot__queues *queues = allot__queues_of(about->work->plan);
    int32_t number = queues->pool_of[queue];
    cutting it = {
        .about = about, .out = about->decision->dispatched, .queues = queues, .queue = queue};
    if (number < 0 || cut_of(&it, queue)->number == 0)
        return ALLOT_OK;
    allot__arena arena;
    it.pool = &queues->pools[number];
    it.count = it.pool->count;
    allot__arena_init(&arena, about->work->plan->engine);
    it.order = allot__arena_take(&arena, (size_t)it.count, sizeof *it.order);
    it.rows = allot__arena_take(&arena, (size_t)it.count, sizeof *it.rows);
    bool room = it.order != NULL && it.rows;
    for (int32_t i = 0; room && i < it.count; i++)
        it.order[cut_of(&it, it.pool->queues[i])->place] = it.pool->queues[i];
    if (room) {
        explain_pool(&it, number);
        explain_order(&it);
        explain_slice(&it);
    }
    allot__arena_free(&arena);
    return room ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- The limit that binds a job -------------------------------------------------------------- */

/* The queue, user, group or host of a bound, in words that follow what it allows. */
static allot__sentence whose(const allot__job_explanation *it, const allot__bound *bound)
{
    allot__sentence words = {.len = 0};
    const allot_state *state = it->about.work->state;
    if (bound->queue >= 0)
        ADD(&words, " for queue /{.60}", allot__explain_queue_of(it, bound->queue)->name);
    if (bound->user >= 0)
        ADD(&words, " for user {.60}", allot__job_user(state, bound->user));
    if (bound->group >= 0)
        ADD(&words, " for group {.60}", allot__job_group(state, bound->group));
    if (bound->host >= 0 && it->out->view.site[bound->host] >= 0)
        ADD(&words, " on host {.60}", state->tasks.sites[it->out->view.site[bound->host]].name);
    return words;
}

/* The word of PREEMPT_FOR that leaves suspended jobs out of a limit; NULL: none does (P-21). */
static const char *lifting(const allot__job_limit *limit)
{
#define NAME(name, text, doc) #name,
    static const char *const names[] = {ALLOT_LIFT_MAP(NAME)};
#undef NAME
    int32_t word = allot__limit_lift(limit);
    return word != 0 ? names[__builtin_ctz((uint32_t)word)] : NULL;
}

static void explain_counted(const allot__job_explanation *it, const allot__bound *bound,
                            const allot__job_limit *limit, int64_t more)
{
    const char *word = lifting(limit);
    if (bound->asleep == 0)
        return;
    if (limit->queue_level || !word || !it->queues->preempts) {
        SAY(&it->about, "  {} of these are suspended jobs', which count: {}.", bound->asleep,
            !it->queues->preempts ? "no job preempts in this plan (P-20)"
            : limit->queue_level  ? "they always do in a queue's own limits (P-22)"
                                  : "no word of PREEMPT_FOR leaves them out here (P-21)");
        return;
    }
    int64_t left = bound->most - bound->used + bound->asleep;
    if (bound->host >= 0 || allot__limit_trait(&it->out->bounds, bound->limit)->of_hosts) {
        SAY(&it->about,
            "  {} of these are suspended jobs', which count unless PREEMPT_FOR says {} (P-21): "
            "with it {} would be left there.",
            bound->asleep, word, left > 0 ? left : 0);
        return;
    }
    SAY(&it->about,
        "  {} of these are suspended jobs', which count unless PREEMPT_FOR says {} (P-21): with it "
        "the limit would {?let it run|be reached all the same}.",
        bound->asleep, word, more <= left);
}

static void explain_bound(const allot__job_explanation *it, const allot__bound *bound)
{
    const allot__job_limit *limit = allot__limit_at(&it->out->bounds, bound->limit);
    bool jobs = limit->stated.kind == ALLOT_LIMIT_JOBS;
    int64_t more = jobs ? 1 : it->job->slots;
    bool whole = bound->host < 0 && !allot__limit_trait(&it->out->bounds, bound->limit)->of_hosts;
    const char *unit = jobs ? "job" : "slot";
    /* For a job being resumed only running jobs count: it is itself one of the suspended. */
    bool back = it->job->state == ALLOT_SUSPENDED;
    int64_t used = bound->used - (back ? bound->asleep : 0);
    SAY(&it->about, "The limit \"{.100}\" binds: at most {} {}{|s}{}, {} used{? by running jobs|}.",
        limit->stated.name, bound->most, unit, whose(it, bound).text, used, back);
    if (whole && used + more > bound->most)
        SAY(&it->about, "  With its {} it would be {}, {} above it (P-23).", more, used + more,
            used + more - bound->most);
    if (it->job->state == ALLOT_PENDING)
        explain_counted(it, bound, limit, more);
}

void allot__explain_limit(const allot__job_explanation *it)
{
    const allot__bounds *bounds = &it->out->bounds;
    int32_t number = allot__binding_limit(bounds, it->verdict.binding);
    if (it->verdict.binding >= 0) {
        explain_bound(it, allot__bound_at(bounds, it->verdict.binding));
    } else if (number >= 0) {
        const allot_job_limit *stated = &allot__limit_at(bounds, number)->stated;
        bool parts = stated->kind == ALLOT_LIMIT_PER_PROCESSOR;
        SAY(&it->about,
            "The limit \"{.100}\" binds: {}{? slots a processor| slots}{? on each host|} are fewer "
            "than it needs.",
            stated->name, parts ? stated->most / 1000 : stated->most, parts,
            (stated->per & ALLOT_PER_HOST) != 0);
    } else {
        SAY(&it->about, "A limit that goes by hosts binds.");
    }
    bool barred = allot__barred_by_type(it->about.work, it->job);
    for (int32_t low = 0; !barred && low < allot__queue_count(it->about.work->plan); low++) {
        if (allot__explain_may(it, it->job->queue, low)) {
            SAY(&it->about, "Whatever it preempted, the limit would still be exceeded: no job is "
                            "preempted (P-23).");
            return;
        }
    }
}

/* ---- A job of a pool ------------------------------------------------------------------------- */

static void explain_most(const allot__job_explanation *it, const allot__slot_pool *pool)
{
    int64_t used = 0;
    for (int32_t i = 0; i < pool->count; i++)
        used += it->out->used[pool->queues[i]];
    SAY(&it->about,
        "MAX_SLOTS_IN_POOL lets pool {} use {} slots, and its queues use {}: {} are left, fewer "
        "than it needs (Q-3, reason 5950).",
        pool->name, pool->most, used, pool->most > used ? pool->most - used : 0);
}

/* Does it wait for queues before its own, although it is within the slice? */
static bool is_held_back(const allot__job_explanation *it)
{
    const allot__cut *cut = &it->out->cuts[it->job->queue];
    return cut->may < cut->row.slice &&
           it->out->used[it->job->queue] + it->job->slots <= cut->row.slice;
}

void allot__explain_slice(const allot__job_explanation *it)
{
    int32_t number = it->queues->pool_of[it->job->queue];
    if (number < 0 || it->job->state != ALLOT_PENDING)
        return;
    const allot__slot_pool *pool = &it->queues->pools[number];
    const allot_queue_part *part = &it->out->parts[it->job->queue];
    int64_t used = it->out->used[it->job->queue];
    SAY(&it->about,
        "Its queue shares pool {} of {} slot{|s}: its slice is {} ({} %, Q-30), and its jobs use "
        "{} now.",
        pool->name, it->out->pools[number].slots, part->slice, it->queue->slot_share, used);
    if (it->verdict.why == ALLOT_PEND_POOL)
        explain_most(it, pool);
    else if (it->verdict.why == ALLOT_PEND_SLICE && is_held_back(it))
        explain_may_use(&it->about, &it->out->cuts[it->job->queue]);
    else if (it->verdict.why == ALLOT_PEND_SLICE)
        SAY(&it->about,
            "{?With it the queue would have more than its slice|Its queue had its slice}, and what "
            "the pool had left over was given out before its turn ({?A-30|Q-31, A-25}).",
            used + it->job->slots > part->slice, pool->by_priority);
}

static const allot__queues *queues_of(const allot__explanation *about)
{
    return allot__queues_of(about->work->plan);
}

/* ---- Its jobs -------------------------------------------------------------------------------- */

static void explain_changes(const allot__explanation *about, const allot_queue_part *part)
{
    const struct {
        const char *verb;
        int64_t slots;
    } changes[] = {{"starts jobs on", part->started},
                   {"resumes jobs on", part->resumed},
                   {"lets jobs grow by", part->grown},
                   {"is preempted on", part->preempted}};
    int64_t after = part->running + part->started + part->resumed + part->grown - part->preempted;
    allot__sentence text = {.len = 0};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (changes[i].slots > 0)
            LIST(&text, "{} {}", changes[i].verb, changes[i].slots);
    if (text.len == 0)
        SAY(about, "In this cycle nothing changes for it.");
    else
        SAY(about, "In this cycle it {}: then it runs on {} slot{|s}.", text.text, after);
}

static void explain_jobs(const allot__explanation *about, int32_t number)
{
    const allot_queue *queue = allot__queue_at(queues_of(about), number);
    const allot_queue_part *part = &about->decision->dispatched->parts[number];
    SAY(about, "/{} is a queue of PRIORITY {}.", queue->name, queue->priority);
    SAY(about,
        "It wants {} slot{|s}: {} for {} running, {} for {} waiting{?, {} for {} suspended|} jobs.",
        part->running + part->pending + part->suspended, part->running, part->running_jobs,
        part->pending, part->pending_jobs, part->suspended_jobs > 0, part->suspended,
        part->suspended_jobs);
    explain_changes(about, part);
}

static void explain_waiting(const allot__explanation *about, int32_t queue)
{
    const allot__dispatched *out = about->decision->dispatched;
    const allot__jobs *jobs = about->decision->state->jobs;
    int64_t counts[ALLOT_PEND_COUNT] = {0};
    int32_t first[ALLOT_PEND_COUNT] = {0};
    for (int32_t i = jobs->first[queue]; i < jobs->first[queue + 1]; i++) {
        int32_t job = jobs->by_queue[i];
        first[out->jobs[job].why] =
            counts[out->jobs[job].why]++ == 0 ? job : first[out->jobs[job].why];
    }
    for (int why = ALLOT_PEND_NOT + 1; why < ALLOT_PEND_COUNT; why++) {
        if (counts[why] > 0)
            SAY(about, "{} job{|s} wait{s|} ({|the first is }{.100}): {}.", counts[why],
                allot__job_at(jobs, first[why])->thing.id, allot_pending_text(why));
    }
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Its own limits, and plan-wide ones that apply to all its jobs together. */
static void explain_limits(const allot__explanation *about, int32_t queue)
{
    const allot__bounds *bounds = &about->decision->dispatched->bounds;
    int32_t shown = 0;
    for (size_t i = 0; i < bounds->list.count; i++) {
        const allot__bound *bound = allot__bound_at(bounds, (int32_t)i);
        const allot__job_limit *limit = allot__limit_at(bounds, bound->limit);
        int32_t each = ALLOT_PER_USER | ALLOT_PER_GROUP | ALLOT_PER_HOST;
        bool all = (limit->stated.per & each) == 0;
        bool own = limit->queue == queue || bound->queue == queue;
        if (!all || !own || shown++ >= ALLOT__EXPLAIN_NAMED)
            continue;
        SAY(about, "Its limit \"{.100}\" is {}, of which {} {is|are} used now{?: it binds|}.",
            limit->stated.name, bound->most, bound->used, bound->used >= bound->most);
    }
}

/* ---- Preemption ------------------------------------------------------------------------------ */

static void explain_relation(const allot__explanation *about, int32_t queue, bool above)
{
    const allot__relation *relation = about->work->plan->relation;
    allot__sentence names = {.len = 0};
    for (int32_t other = 0; other < relation->count; other++)
        if (above ? allot__may_preempt(relation, other, queue)
                  : allot__may_preempt(relation, queue, other))
            LIST_FEW(&names, "/{.50}{&+{}}", allot__queue_at(queues_of(about), other)->name,
                     above ? 0 : allot__preference(relation, queue, other));
    if (names.items == 0)
        SAY(about,
            above ? "No queue may preempt its jobs (P-7)." : "Its jobs may preempt no jobs (P-7).");
    else
        SAY(about,
            above ? "{} queue{|s} may preempt its jobs (P-7): {}{?, ...|}."
                  : "Its jobs may preempt those of {} queue{|s} (P-7): {}{?, ...|}.",
            names.items, names.text, names.items > ALLOT__EXPLAIN_NAMED);
}

int allot__explain_queue(const allot__explanation *about, int32_t queue)
{
    explain_jobs(about, queue);
    int status = explain_slices(about, queue);
    if (status != ALLOT_OK)
        return status;
    explain_limits(about, queue);
    explain_relation(about, queue, false);
    explain_relation(about, queue, true);
    explain_waiting(about, queue);
    return ALLOT_OK;
}
