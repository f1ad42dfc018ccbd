/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * relation.c: which queue may preempt which, by the tests of the policy.
 *
 * Queues stand in an order in which those that a queue may preempt are few ranges: in classes by
 * what they state, each sorted by the number that the tests compare. So a relation of words costs n
 * log n and a range for each name on a list; only functions are asked for all pairs.
 *
 * This file owns: the life of allot__relation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/jobs/queue.h"
#include "model/windows/say.h"

/* What preempted queues state: those that list their preemptors are found by these lists. Queues of
 * pools neither preempt nor are preempted, whatever states so. */
enum { OPEN, CLOSED, LISTED, POOLED, CLASSES };

typedef struct making {
    const allot_plan *plan;
    const allot_policy *policy;
    const allot__queues *queues;
    allot__relation *out;
    allot__vector edges; /* of edge: pairs that lists name */
    int32_t starts[CLASSES + 1];
    int32_t compares; /* the test that compares numbers; 0: none */
    bool by_pairs;    /* a test is a function, or two compare */
    uint8_t *row;     /* by queue: may the queue at hand preempt it? */
    allot_report *report;
} making;

typedef struct edge {
    int32_t high, place;
} edge;

static void end(allot_engine *engine, allot__relation *it)
{
    if (!it)
        return;
    allot__vector_free(engine, &it->bounds);
    allot__pool_free(engine, &it->pool);
    allot__free(engine, it, 1, sizeof *it);
}

void allot__relation_free(allot_plan *plan)
{
    if (!plan->base || plan->relation != plan->base->relation)
        end(plan->engine, plan->relation);
    plan->relation = NULL;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static bool prefers(const allot_queue *high, const char *name)
{
    for (int32_t i = 0; i < high->low_count; i++)
        if (strcmp(high->low[i].queue, name) == 0)
            return true;
    return false;
}

static bool admits(const allot_queue *low, const char *name)
{
    for (int32_t i = 0; i < low->high_count; i++)
        if (strcmp(low->high[i], name) == 0)
            return true;
    return false;
}

/* P-7: if a queue lists those that may preempt it, only these may; without a list all may if
 * it is preemptable. A list of queues that it may preempt restricts it to these (P-3). A queue
 * preempts only queues of lower priority (P-6). */
static bool holds(int32_t test, const allot_queue *high, const allot_queue *low)
{
    if (test == ALLOT_REFUSED_PRIORITY)
        return high->priority > low->priority;
    if (test == ALLOT_REFUSED_SLOT_SHARE)
        return high->slot_share > low->slot_share;
    if (low->preemptable)
        return low->high_count == 0 || admits(low, high->name);
    return high->preemptive && (high->low_count == 0 || prefers(high, low->name));
}

/* Answers for a pair: 1, or the refusal. */
static int ask(const making *it, int32_t high, int32_t low, int32_t *out)
{
    const allot_provider *provider = &it->policy->provider;
    const allot_queue *above = allot__queue_at(it->queues, high);
    *out = 1;
    for (int32_t i = 0; i<it->policy->test_count && * out> 0; i++) {
        int32_t test = it->policy->tests[i];
        if (test > ALLOT_REFUSED_TEST) {
            *out = holds(test, above, allot__queue_at(it->queues, low)) ? 1 : test;
            continue;
        }
        *out = 0;
        int status = provider->relate(provider->ud, ALLOT_REFUSED_TEST - test, it->plan, high, low,
                                      out, it->report);
        if (status)
            return status;
        if (*out <= 0 && *out >= INT8_MIN)
            it->out->refused[(size_t)high * (size_t)it->out->count + (size_t)low] = (int8_t)*out;
    }
    return ALLOT_OK;
}

int32_t allot__relation_refusal(const allot_plan *plan, int32_t high, int32_t low)
{
    const allot_policy *policy = plan->groups[0].policy;
    const allot__queues *queues = allot__queues_of(plan);
    const allot__relation *it = plan->relation;
    int32_t asked = it->refused ? it->refused[(size_t)high * (size_t)it->count + (size_t)low] : 0;
    for (int32_t i = 0; i < policy->test_count && asked == 0; i++)
        if (policy->tests[i] > ALLOT_REFUSED_TEST &&
            !holds(policy->tests[i], allot__queue_at(queues, high), allot__queue_at(queues, low)))
            return policy->tests[i];
    return asked;
}

int32_t allot__preference(const allot__queues *queues, int32_t high, int32_t low)
{
    const allot_queue *of = allot__queue_at(queues, high);
    int32_t level = 0;
    for (int32_t i = 0; i < of->low_count; i++)
        if (of->low[i].level > level &&
            strcmp(of->low[i].queue, allot__queue_at(queues, low)->name) == 0)
            level = of->low[i].level;
    return level;
}

/* ---- Orders of queues ------------------------------------------------------------------------ */

typedef struct seat {
    int32_t class, key, queue;
} seat;

static int by_seat(const void *a, const void *b)
{
    const seat *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->queue < y->queue ? -1 : 1;
}

static int32_t key_of(const making *it, int32_t queue)
{
    const allot_queue *of = allot__queue_at(it->queues, queue);
    return it->compares == ALLOT_REFUSED_SLOT_SHARE ? of->slot_share : of->priority;
}

static bool tests(const allot_policy *policy, int32_t test)
{
    bool found = false;
    for (int32_t i = 0; i < policy->test_count; i++)
        found = found || policy->tests[i] == test;
    return found;
}

static int32_t low_class(const making *it, const allot_queue *queue)
{
    if (queue->slot_pool || it->policy->test_count == 0)
        return POOLED;
    if (it->by_pairs || !tests(it->policy, ALLOT_REFUSED_QUEUES))
        return OPEN;
    return !queue->preemptable ? CLOSED : queue->high_count == 0 ? OPEN : LISTED;
}

static int32_t high_class(const making *it, const allot_queue *queue)
{
    (void)it;
    return queue->slot_pool ? 2 : !queue->preemptive || queue->low_count > 0;
}

/* Puts queues in order by class, then by key. */
static int put_in_order(making *it, int32_t (*class_of)(const making *, const allot_queue *),
                        allot__ranges *out)
{
    allot_engine *engine = it->plan->engine;
    size_t count = (size_t)it->out->count;
    out->order = allot__pool_take(engine, &it->out->pool, count * sizeof(int32_t), sizeof(int32_t));
    out->place = allot__pool_take(engine, &it->out->pool, count * sizeof(int32_t), sizeof(int32_t));
    out->first =
        allot__pool_take(engine, &it->out->pool, (count + 1) * sizeof(size_t), sizeof(size_t));
    seat *seats = allot__new(engine, count, sizeof *seats);
    if (!out->order || !out->place || !out->first || !seats) {
        allot__free(engine, seats, seats ? count : 0, sizeof *seats);
        return ALLOT_ENOMEM;
    }
    memset(it->starts, 0, sizeof it->starts);
    for (int32_t i = 0; i < it->out->count; i++) {
        seats[i] = (seat){class_of(it, allot__queue_at(it->queues, i)), key_of(it, i), i};
        for (int32_t behind = seats[i].class + 1; behind <= CLASSES; behind++)
            it->starts[behind]++;
    }
    qsort(seats, count, sizeof *seats, by_seat);
    for (int32_t i = 0; i < it->out->count; i++) {
        out->order[i] = seats[i].queue;
        out->place[seats[i].queue] = i;
    }
    allot__free(engine, seats, count, sizeof *seats);
    return ALLOT_OK;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* Adds a range of places to the last row, at or behind those that it has. */
static int put(const making *it, int32_t high, int32_t from, int32_t to)
{
    allot__vector *bounds = &it->out->bounds;
    int32_t *last = (int32_t *)bounds->items + bounds->count - 1;
    bool any = bounds->count > it->out->low.first[high];
    if (from >= to || (any && *last >= to))
        return ALLOT_OK;
    if (any && *last == from) {
        *last = to;
        return ALLOT_OK;
    }
    if (allot__vector_room(it->plan->engine, bounds, 2, sizeof *last))
        return ALLOT_ENOMEM;
    last = (int32_t *)bounds->items + bounds->count;
    last[0] = from;
    last[1] = to;
    bounds->count += 2;
    return ALLOT_OK;
}

/* Of a class those with a smaller number, or all but the queue itself. */
static int put_class(const making *it, int32_t high, int32_t class)
{
    const allot__ranges *low = &it->out->low;
    int32_t from = it->starts[class], to = it->starts[class + 1], own = low->place[high];
    if (own < from || own >= to)
        own = to;
    for (int32_t least = from; it->compares && least < to;) {
        int32_t middle = least + (to - least) / 2;
        if (key_of(it, low->order[middle]) < key_of(it, high))
            least = middle + 1;
        else
            to = middle;
    }
    int status = put(it, high, from, own < to ? own : to);
    return status ? status : put(it, high, own + 1, to);
}

static int add_edge(making *it, int32_t high, int32_t low)
{
    int32_t may;
    if (ask(it, high, low, &may) || may <= 0)
        return ALLOT_OK; /* words do not fail */
    edge *added = allot__push(it->plan->engine, &it->edges, sizeof *added);
    if (added)
        *added = (edge){high, it->out->low.place[low]};
    return added ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Adds the pairs of which one queue names the other. */
static int add_edges(making *it, int32_t queue)
{
    const allot_queue *of = allot__queue_at(it->queues, queue);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < of->low_count && status == ALLOT_OK; i++) {
        int32_t low = allot_plan_queue_find(it->plan, of->low[i].queue);
        if (low_class(it, allot__queue_at(it->queues, low)) == CLOSED && !of->slot_pool)
            status = add_edge(it, queue, low);
    }
    for (int32_t i = 0; i < of->high_count && status == ALLOT_OK; i++) {
        int32_t high = allot_plan_queue_find(it->plan, of->high[i]);
        if (low_class(it, of) == LISTED && !allot__queue_at(it->queues, high)->slot_pool)
            status = add_edge(it, high, queue);
    }
    return status;
}

static int by_edge(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->place == y->place ? 0 : x->place < y->place ? -1 : 1;
}

/* Puts a row from classes, and from edges from *at on. */
static int put_row(const making *it, int32_t high, size_t *at)
{
    const allot_queue *of = allot__queue_at(it->queues, high);
    const edge *edges = it->edges.items;
    int status = of->slot_pool ? ALLOT_OK : put_class(it, high, OPEN);
    if (status == ALLOT_OK && !of->slot_pool && of->preemptive && of->low_count == 0)
        status = put_class(it, high, CLOSED);
    for (; *at < it->edges.count && edges[*at].high == high && status == ALLOT_OK; ++*at)
        status = put(it, high, edges[*at].place, edges[*at].place + 1);
    return status;
}

/* Asks for each pair. */
static int put_asked(const making *it, int32_t high)
{
    int status = ALLOT_OK;
    bool pooled = allot__queue_at(it->queues, high)->slot_pool != NULL;
    for (int32_t low = 0; low < it->out->count && status == ALLOT_OK; low++) {
        int32_t may = 0;
        status = high == low ? ALLOT_OK : ask(it, high, low, &may);
        it->row[low] = may > 0 && !pooled;
    }
    for (int32_t place = 0; place < it->starts[POOLED] && status == ALLOT_OK; place++)
        if (it->row[it->out->low.order[place]])
            status = put(it, high, place, place + 1);
    return status;
}

static int put_rows(making *it)
{
    int status = ALLOT_OK;
    size_t at = 0;
    for (int32_t i = 0; i < it->out->count && status == ALLOT_OK && !it->by_pairs; i++)
        status = add_edges(it, i);
    if (it->edges.count > 1)
        qsort(it->edges.items, it->edges.count, sizeof(edge), by_edge);
    if (status == ALLOT_OK)
        status = allot__vector_room(it->plan->engine, &it->out->bounds, 1, sizeof(int32_t));
    for (int32_t high = 0; high < it->out->count && status == ALLOT_OK; high++) {
        it->out->low.first[high] = it->out->bounds.count;
        status = it->by_pairs ? put_asked(it, high) : put_row(it, high, &at);
        it->out->low.first[high + 1] = it->out->bounds.count;
    }
    allot__vector_trim(it->plan->engine, &it->out->bounds);
    it->out->low.bounds = it->out->bounds.items;
    return status;
}

/* Counts by the preempted queue where its ranges of preempting queues begin and end, or puts these
 * in its row: where one preempting queue's row differs from the next one's. */
static void turn_round(const allot__relation *it, int32_t *bounds)
{
    const allot__ranges *high = &it->high;
    const int32_t *none = it->low.bounds;
    for (int32_t i = 0; i <= it->count; i++) {
        allot__differing rows = {.a = none, .a_end = none, .b = none, .b_end = none};
        if (i > 0)
            allot__ranges_at(&it->low, high->order[i - 1], &rows.a, &rows.a_end);
        if (i < it->count)
            allot__ranges_at(&it->low, high->order[i], &rows.b, &rows.b_end);
        while (allot__differing_next(&rows))
            for (int32_t place = rows.from; place < rows.to; place++) {
                size_t *at = &high->first[it->low.order[place]];
                if (bounds)
                    bounds[*at] = i;
                ++*at;
            }
    }
}

static int make_highs(making *it)
{
    allot__ranges *high = &it->out->high;
    turn_round(it->out, NULL);
    size_t sum = 0;
    for (int32_t i = 0; i <= it->out->count; i++) {
        size_t count = high->first[i];
        high->first[i] = sum;
        sum += count;
    }
    high->bounds = allot__pool_take(it->plan->engine, &it->out->pool, (sum + 1) * sizeof(int32_t),
                                    sizeof(int32_t));
    if (!high->bounds)
        return ALLOT_ENOMEM;
    turn_round(it->out, high->bounds);
    memmove(high->first + 1, high->first, (size_t)it->out->count * sizeof *high->first);
    high->first[0] = 0; /* filling has moved each first to its end */
    return ALLOT_OK;
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

/* The first queue left that `high` may preempt; -1: none. `any`: or another one. */
static int32_t next_of(const allot__relation *it, const uint8_t *left, int32_t high, bool any)
{
    const int32_t *range, *end;
    int32_t next = -1;
    allot__ranges_at(&it->low, high, &range, &end);
    for (; range < end && !(any && next >= 0); range += 2)
        for (int32_t place = range[0]; place < range[1] && !(any && next >= 0); place++) {
            int32_t low = it->low.order[place];
            next = left[low] && (next < 0 || low < next) ? low : next;
        }
    return next;
}

/* Removes queues that may preempt no queue left, until no more are removed: from those that remain
 * every way leads into a cycle. Returns one of them, or -1. */
static int32_t find_circle(const allot__relation *it, uint8_t *left)
{
    memset(left, 1, (size_t)it->count);
    bool more = true;
    for (bool up = true; more; up = !up) {
        more = false;
        for (int32_t i = 0; i < it->count; i++) {
            int32_t queue = up ? i : it->count - 1 - i;
            if (left[queue] && next_of(it, left, queue, true) < 0) {
                left[queue] = 0;
                more = true;
            }
        }
    }
    const uint8_t *found = memchr(left, 1, (size_t)it->count);
    return found ? (int32_t)(found - left) : -1;
}

/* Steps from each queue to the first that it may preempt: after as many steps as there are queues
 * it is in a cycle, whose queues it names. */
static int say_circle(const allot_plan *plan, const allot__relation *it, const uint8_t *left,
                      int32_t from, allot_report *report)
{
    const allot__queues *queues = allot__queues_of(plan);
    char names[200];
    for (int32_t i = 0; i < it->count; i++)
        from = next_of(it, left, from, false);
    size_t len = (size_t)snprintf(names, sizeof names, "%s", allot__queue_at(queues, from)->name);
    int32_t at = from;
    do {
        at = next_of(it, left, at, false);
        const char *name = allot__queue_at(queues, at)->name;
        if (len < sizeof names)
            len += (size_t)snprintf(names + len, sizeof names - len, " -> %s", name);
    } while (at != from);
    allot__fault fault =
        allot__fault_of(report, "E-cycle", "let a queue preempt only those of lower priority");
    fault.consumer = from;
    allot__say(plan, &fault, "queues preempt each other in a circle: %s", names);
    return ALLOT_EINVALID;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static int make(making *it)
{
    const allot_policy *policy = it->policy;
    allot_engine *engine = it->plan->engine;
    size_t count = (size_t)it->out->count;
    bool shares = tests(policy, ALLOT_REFUSED_SLOT_SHARE);
    bool priorities = tests(policy, ALLOT_REFUSED_PRIORITY);
    bool asks = allot__policy_asks(policy) >= 0;
    it->compares = shares ? ALLOT_REFUSED_SLOT_SHARE : priorities ? ALLOT_REFUSED_PRIORITY : 0;
    it->by_pairs = asks || (shares && priorities);
    it->row = allot__pool_take(engine, &it->out->pool, count, 1);
    if (asks)
        it->out->refused = allot__pool_take(engine, &it->out->pool, count * count, 1);
    if (!it->row || (asks && !it->out->refused) || put_in_order(it, high_class, &it->out->high) ||
        put_in_order(it, low_class, &it->out->low))
        return ALLOT_ENOMEM;
    int status = put_rows(it);
    if (status)
        return status;
    int32_t circle = it->compares ? -1 : find_circle(it->out, it->row);
    if (circle >= 0)
        return say_circle(it->plan, it->out, it->row, circle, it->report);
    return make_highs(it);
}

int allot__relation_make(allot_plan *plan, allot_report *report)
{
    int32_t count = allot__queue_count(plan);
    bool same = plan->base && plan->groups[0].policy == plan->base->groups[0].policy;
    if (count == 0 || same)
        return ALLOT_OK;
    plan->relation = NULL; /* of a variant: not its base's any more */
    allot__relation *out = allot__new(plan->engine, 1, sizeof *out);
    if (!out)
        return ALLOT_ENOMEM;
    out->count = count;
    making it = {.plan = plan,
                 .policy = plan->groups[0].policy,
                 .queues = allot__queues_of(plan),
                 .out = out,
                 .report = report};
    int status = make(&it);
    allot__vector_free(plan->engine, &it.edges);
    if (!plan->base) /* a policy may relate queues that state nothing (P-20) */
        plan->queues->preempts = plan->queues->preempts || out->bounds.count > 0;
    if (status)
        end(plan->engine, out);
    else
        plan->relation = out;
    return status;
}

/* ---- Getters --------------------------------------------------------------------------------- */

static bool knows(const allot_plan *plan, int32_t queue)
{
    return plan && plan->sealed && queue >= 0 && queue < allot__queue_count(plan);
}

int allot_plan_may_preempt(const allot_plan *plan, int32_t high, int32_t low)
{
    return knows(plan, high) && knows(plan, low) && allot__may_preempt(plan->relation, high, low);
}

int allot_plan_preempted(const allot_plan *plan, int32_t low)
{
    return knows(plan, low) &&
           plan->relation->high.first[low] < plan->relation->high.first[low + 1];
}

int32_t allot_plan_preference(const allot_plan *plan, int32_t high, int32_t low)
{
    bool known = knows(plan, high) && knows(plan, low);
    return known ? allot__preference(allot__queues_of(plan), high, low) : 0;
}
