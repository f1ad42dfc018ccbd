/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue.c: what a queue wants, has and gets, limits that bind jobs, and slices of pools. */
#include "engine/explain/job.h"

#include <string.h>

#include "base/least.h"

typedef struct cutting {
    const allot__explanation *about;
    const allot__dispatched *out;
    const allot__queues *queues;
    const allot__slot_pool *pool;
    int32_t queue;
    int32_t *order;         /* the pool's queues in its order, without those not reached */
    allot__slice_row *rows; /* of the cut, in that order */
    int32_t count, rows_count;
} cutting;

static const allot__cut *cut_of(const cutting *it, int32_t queue)
{
    return &it->out->cuts[queue];
}

/* ---- Slices ---------------------------------------------------------------------------------- */

static void put_place(const cutting *it, int32_t place)
{
    int32_t queue = it->order[place];
    const allot_queue *of = allot__queue_at(it->queues, queue);
    const allot_queue_part *part = &it->out->parts[queue];
    OBJECT(it->about, NULL, "queue priority place own? usage share ratio", of->name, of->priority,
           place + 1, queue == it->queue, part->usage, of->slot_share,
           allot__ratio_words((allot__u128)part->usage, (allot__u128)of->slot_share).text);
}

static void put_order(const cutting *it)
{
    allot__explain_keys(it->about, ALLOT_QUEUES, &it->about->rules->policy->slices);
    allot__facts_open(it->about, "places", "[");
    for (int32_t place = 0; place < it->count; place++)
        put_place(it, place);
    allot__facts_end(it->about, "]");
}

/* What the queue's own row gets in a round. */
static void put_round(void *ud, const allot__slice_row *row, int64_t base, int64_t slots,
                      int32_t round)
{
    const cutting *it = ud;
    if (row->queue != it->queue)
        return;
    OBJECT(it->about, NULL, "first? base share slots lacks", round == 1, base, row->share, slots,
           allot__most(row->wants - row->slice, 0));
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

static void put_slice(cutting *it)
{
    const allot__cut *cut = cut_of(it, it->queue);
    FACTS(it->about, "share base again? wants first used slice may by_priority?",
          allot__queue_at(it->queues, it->queue)->slot_share, cut->base, cut->number > 1,
          cut->row.wants, cut->row.first, cut->row.used, cut->row.slice, cut->may,
          it->pool->by_priority);
    if (gather(it, cut)) {
        const allot__slice_watch watch = {.gets = put_round, .ud = it};
        allot__facts_open(it->about, "rounds", "[");
        allot__slices_cut(it->rows, it->rows_count, cut->base, !it->pool->by_priority, &watch);
        allot__facts_end(it->about, "]");
    }
}

static void put_pool(const cutting *it, int32_t number)
{
    const allot_pool_part *part = &it->out->pools[number];
    FACTS(it->about, "name count in_use free", it->pool->name, it->pool->count, part->used,
          part->free);
    if (it->pool->most != ALLOT_NONE)
        FACTS(it->about, "most", it->pool->most);
    FACTS(it->about, "slots", part->slots);
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
        allot__facts_open(about, "pool", "{");
        put_pool(&it, number);
        put_order(&it);
        put_slice(&it);
        allot__facts_end(about, "}");
    }
    allot__arena_free(&arena);
    return room ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- The limit that binds a job -------------------------------------------------------------- */

/* The word of PREEMPT_FOR that leaves suspended jobs out of a limit; NULL: none does (P-21). */
static const char *lifting(const allot__job_limit *limit)
{
#define NAME(name, text, doc) #name,
    static const char *const names[] = {ALLOT_LIFT_MAP(NAME)};
#undef NAME
    int32_t word = allot__limit_lift(limit);
    return word != 0 ? names[__builtin_ctz((uint32_t)word)] : NULL;
}

/* What part of which slots a limit in percent is (P-27). */
static void put_part(const allot__explanation *about, const allot__bounds *bounds, int32_t limit)
{
    bool own = allot__limit_at(bounds, limit)->allows != NULL;
    allot__allowance of = own ? allot__limit_allows(bounds, limit) : (allot__allowance){0};
    if (of.percent > 0)
        FACTS(about, "percent whole", of.percent, of.whole);
}

/* The queue, user, group or host that a bound is of. */
static void put_whose(const allot__job_explanation *it, const allot__bound *bound)
{
    const allot_state *state = it->about.work->state;
    int32_t site = bound->host >= 0 ? it->out->view.site[bound->host] : -1;
    if (bound->queue >= 0)
        FACTS(&it->about, "queue", allot__explain_queue_of(it, bound->queue)->name);
    if (bound->user >= 0)
        FACTS(&it->about, "user", allot__job_user(state, bound->user));
    if (bound->group >= 0)
        FACTS(&it->about, "group", allot__job_group(state, bound->group));
    if (site >= 0)
        FACTS(&it->about, "host", state->tasks.sites[site].name);
}

static void put_bound(const allot__job_explanation *it, const allot__bound *bound)
{
    const allot__job_limit *limit = allot__limit_at(&it->out->bounds, bound->limit);
    bool of_hosts = allot__limit_trait(&it->out->bounds, bound->limit)->of_hosts;
    FACTS(&it->about, "name most used asleep jobs? of_hosts? queue_level? preempts? word",
          limit->stated.name, bound->most, bound->used, bound->asleep,
          limit->stated.kind == ALLOT_LIMIT_JOBS, bound->host >= 0 || of_hosts, limit->queue_level,
          it->queues->preempts, lifting(limit));
    put_part(&it->about, &it->out->bounds, bound->limit);
    put_whose(it, bound);
}

void allot__explain_limit(const allot__job_explanation *it)
{
    const allot__bounds *bounds = &it->out->bounds;
    int32_t number = allot__binding_limit(bounds, it->verdict.binding);
    allot__facts_open(&it->about, "limit", "{");
    if (it->verdict.binding >= 0) {
        put_bound(it, allot__bound_at(bounds, it->verdict.binding));
    } else if (number >= 0) {
        const allot_job_limit *stated = &allot__limit_at(bounds, number)->stated;
        bool parts = stated->kind == ALLOT_LIMIT_PER_PROCESSOR;
        FACTS(&it->about, "name each processors? per_host?", stated->name,
              parts ? stated->most / 1000 : stated->most, parts,
              (stated->per & ALLOT_PER_HOST) != 0);
    }
    allot__facts_end(&it->about, "}");
}

/* ---- A job of a pool ------------------------------------------------------------------------- */

void allot__explain_slice(const allot__job_explanation *it)
{
    int32_t number = it->queues->pool_of[it->job->queue];
    if (number < 0 || it->job->state != ALLOT_PENDING)
        return;
    const allot__slot_pool *pool = &it->queues->pools[number];
    const allot__cut *cut = &it->out->cuts[it->job->queue];
    int64_t used = 0, own = it->out->used[it->job->queue];
    for (int32_t i = 0; i < pool->count; i++)
        used += it->out->used[pool->queues[i]];
    allot__facts_open(&it->about, "pool", "{");
    FACTS(&it->about, "name slots slice share own most used by_priority?", pool->name,
          it->out->pools[number].slots, it->out->parts[it->job->queue].slice, it->queue->slot_share,
          own, pool->most, used, pool->by_priority);
    /* Does it wait for queues before its own, although it is within the slice? */
    if (cut->may < cut->row.slice && own + it->job->slots <= cut->row.slice)
        FACTS(&it->about, "may", cut->may);
    allot__facts_end(&it->about, "}");
}

/* ---- All queues, as a job sees them ---------------------------------------------------------- */

/* Kinds of running jobs, as seen from the job. */
enum { GUARD = ALLOT__INELIGIBLE_GUARD, KINDS = GUARD + ALLOT_GUARDS_MAX };

static int32_t kind_of(const allot__job_explanation *it, int32_t number)
{
    const allot__job *job = allot__explain_job(it, number);
    int32_t kind = it->out->searched ? it->out->candidates.ineligible[number]
                                     : allot__job_ineligible(it->about.work, job);
    return kind == ALLOT__ELIGIBLE && allot__backfill_reserved(it->queues, job, it->job->queue)
               ? ALLOT__INELIGIBLE_RESERVED
               : kind;
}

const char *allot__explain_kind(int32_t kind)
{
    static const char *const names[GUARD] = {[ALLOT__ELIGIBLE] = "eligible",
                                             [ALLOT__INELIGIBLE_NEW] = "new",
                                             [ALLOT__INELIGIBLE_TAKEN] = "taken",
                                             [ALLOT__INELIGIBLE_EXCLUSIVE] = "exclusive",
                                             [ALLOT__INELIGIBLE_BACKFILL] = "backfill",
                                             [ALLOT__INELIGIBLE_FORCED] = "forced",
                                             [ALLOT__INELIGIBLE_RESERVED] = "reserved"};
    return kind < GUARD ? names[kind] : NULL;
}

/* Other running jobs whose slots it could use, by kind. */
static void put_kinds(const allot__job_explanation *it, int32_t queue)
{
    allot__job_tally kinds[KINDS] = {{0}};
    for (int32_t i = it->jobs->first[queue]; i < it->jobs->first[queue + 1]; i++) {
        int32_t number = it->jobs->by_queue[i];
        bool runs = it->out->jobs[number].now == ALLOT_RUNNING && number != it->number;
        int64_t slots = runs ? allot__explain_has(it, number, NULL) : 0;
        allot__job_tally *kind = slots > 0 ? &kinds[kind_of(it, number)] : NULL;
        if (kind)
            *kind = (allot__job_tally){.jobs = kind->jobs + 1, .slots = kind->slots + slots};
    }
    allot__facts_open(&it->about, "kinds", "[");
    for (int32_t kind = 0; kind < KINDS; kind++) {
        const allot__guard *guard = allot__explain_guard(&it->about, kind);
        if (kinds[kind].jobs > 0)
            OBJECT(&it->about, NULL, "kind guard parameter jobs slots", allot__explain_kind(kind),
                   guard ? guard->label : NULL, guard ? allot__explain_parameter(guard) : -1,
                   kinds[kind].jobs, kinds[kind].slots);
    }
    allot__facts_end(&it->about, "]");
}

/* How many of its jobs hold the resource that the job lacks once the cycle is over, and how much.
 */
static void put_held(const allot__job_explanation *it, int32_t queue)
{
    int64_t holders = 0, held = 0;
    for (int32_t i = it->jobs->first[queue]; i < it->jobs->first[queue + 1]; i++) {
        int32_t number = it->jobs->by_queue[i];
        uint8_t now = it->out->jobs[number].now;
        bool holds = now != ALLOT_PENDING && now != ALLOT_JOB_STATE_COUNT;
        int64_t amount = holds ? allot__explain_amount(it, number, it->verdict.binding) : 0;
        holders += amount > 0;
        held += amount;
    }
    FACTS(&it->about, "holders held", holders, held);
}

static bool lists(const allot_queue *queue, const char *name)
{
    for (int32_t i = 0; i < queue->high_count; i++)
        if (strcmp(queue->high[i], name) == 0)
            return true;
    return false;
}

/* The test by which the job's queue may not preempt another; of a policy's test its name. */
static void put_refusal(const allot__job_explanation *it, int32_t queue)
{
    const allot_policy *policy = it->about.rules->policy;
    const allot_provider *provider = &policy->provider;
    int32_t why = allot__relation_refusal(it->about.work->plan, it->job->queue, queue);
    bool own = why != ALLOT_REFUSED_PRIORITY && why != ALLOT_REFUSED_SLOT_SHARE &&
               why != ALLOT_REFUSED_QUEUES;
    FACTS(&it->about, "refusal test",
          why == ALLOT_REFUSED_PRIORITY     ? "priority"
          : why == ALLOT_REFUSED_SLOT_SHARE ? "slot_share"
          : own                             ? "policy"
                                            : "queues",
          own && provider->refusal
              ? provider->refusal(provider->ud, allot__policy_asks(policy), why)
              : NULL);
}

static void put_queue(const allot__job_explanation *it, int32_t queue)
{
    const allot__explanation *about = &it->about;
    const allot_queue *of = allot__explain_queue_of(it, queue);
    const allot__job_tally *before = &it->before[queue];
    bool own = queue == it->job->queue, pool = it->queues->pool_of[queue] >= 0;
    bool below = allot__explain_may(it, it->job->queue, queue);
    bool pools = pool || it->queues->pool_of[it->job->queue] >= 0;
    allot__facts_open(about, NULL, "{");
    allot__fact_queue(it, queue);
    FACTS(about, "number own? pool? below? above? ends? preferred share jobs slots served got",
          queue, own, pool, below, allot__explain_may(it, queue, it->job->queue),
          allot__action_ends(of->on_preempt), allot__preference(it->queues, it->job->queue, queue),
          of->slot_share, before->jobs, before->slots, before->served, before->got);
    FACTS(about, "preemptable? preemptive? lows highs named?", of->preemptable, of->preemptive,
          of->low_count, of->high_count, lists(of, it->queue->name));
    put_kinds(it, queue);
    if (allot__explain_lacks(it))
        put_held(it, queue);
    if (!below && !own && !pools && it->about.rules->policy->test_count > 0)
        put_refusal(it, queue);
    allot__facts_end(about, "}");
}

void allot__explain_queues(const allot__job_explanation *it)
{
    FACTS(&it->about, "preempts?", it->about.rules->policy->test_count > 0);
    allot__facts_open(&it->about, "queues", "[");
    for (int32_t i = 0; i < allot__queue_count(it->about.work->plan); i++)
        put_queue(it, it->out->sequence[i]);
    allot__facts_end(&it->about, "]");
}

/* ---- A queue's jobs, limits and preemption --------------------------------------------------- */

static void explain_jobs(const allot__explanation *about, const allot_queue_part *of)
{
    FACTS(about, "running pending suspended running_jobs pending_jobs suspended_jobs", of->running,
          of->pending, of->suspended, of->running_jobs, of->pending_jobs, of->suspended_jobs);
    FACTS(about, "started resumed grown preempted", of->started, of->resumed, of->grown,
          of->preempted);
}

static void explain_waiting(const allot__explanation *about, int32_t queue)
{
    const allot__dispatched *out = about->decision->dispatched;
    const allot__jobs *jobs = about->decision->state->jobs;
    int64_t counts[ALLOT_PEND_COUNT] = {0};
    int32_t first[ALLOT_PEND_COUNT] = {0};
    for (int32_t i = jobs->first[queue]; i < jobs->first[queue + 1]; i++) {
        int32_t job = jobs->by_queue[i], why = out->jobs[job].why;
        first[why] = counts[why]++ == 0 || job < first[why] ? job : first[why];
    }
    allot__facts_open(about, "waiting", "[");
    for (int why = ALLOT_PEND_NOT + 1; why < ALLOT_PEND_COUNT; why++) {
        if (counts[why] == 0)
            continue;
        OBJECT(about, NULL, "jobs first text", counts[why],
               allot__job_at(jobs, first[why])->thing.id, allot_pending_text(why));
    }
    allot__facts_end(about, "]");
}

/* Its own limits, and plan-wide ones that apply to all its jobs together. */
static void explain_limits(const allot__explanation *about, int32_t queue)
{
    const allot__bounds *bounds = &about->decision->dispatched->bounds;
    int32_t shown = 0;
    allot__facts_open(about, "limits", "[");
    for (size_t i = 0; i < bounds->list.count && shown < ALLOT__EXPLAIN_NAMED; i++) {
        const allot__bound *bound = allot__bound_at(bounds, (int32_t)i);
        const allot__job_limit *limit = allot__limit_at(bounds, bound->limit);
        int32_t each = ALLOT_PER_USER | ALLOT_PER_GROUP | ALLOT_PER_HOST;
        if ((limit->stated.per & each) != 0 || (limit->queue != queue && bound->queue != queue))
            continue;
        shown++;
        allot__facts_open(about, NULL, "{");
        FACTS(about, "name most used", limit->stated.name, bound->most, bound->used);
        put_part(about, bounds, bound->limit);
        allot__facts_end(about, "}");
    }
    allot__facts_end(about, "]");
}

/* Which queues it may preempt, and which may preempt it. */
static void explain_relation(const allot__explanation *about, int32_t queue)
{
    const allot__relation *relation = about->work->plan->relation;
    const allot__queues *queues = allot__queues_of(about->work->plan);
    allot__facts_open(about, "queues", "[");
    for (int32_t other = 0; other < relation->count; other++)
        OBJECT(about, NULL, "queue below? above? preferred", allot__queue_at(queues, other)->name,
               allot__may_preempt(relation, queue, other),
               allot__may_preempt(relation, other, queue), allot__preference(queues, queue, other));
    allot__facts_end(about, "]");
}

int allot__explain_queue(const allot__explanation *about, int32_t queue)
{
    const allot_queue *of = allot__queue_at(allot__queues_of(about->work->plan), queue);
    FACTS(about, "is_queue? queue priority", true, of->name, of->priority);
    explain_jobs(about, &about->decision->dispatched->parts[queue]);
    explain_limits(about, queue);
    explain_relation(about, queue);
    explain_waiting(about, queue);
    return explain_slices(about, queue);
}
