/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slices.c: a queue's slice of its pool, cut a second time in the open. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wide.h"
#include "base/least.h"
#include "engine/jobs/dispatch.h"
#include "engine/explain/queue.h"

enum { NAMED = 8 };

typedef struct cutting {
    const allot__explanation *about;
    const allot__dispatched *out;
    const allot__queues *queues;
    const allot__slot_pool *pool;
    int32_t queue;
    int32_t *order;         /* the pool's queues in its order, those not reached left out */
    allot__slice_row *rows; /* of the cut, in that order */
    int32_t count, rows_count, at;
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
    allot__explain(it->about,
                   "  %" PRId32 ". /%s%s: %" PRId64 " slot-seconds over a share of %" PRId32
                   " are %s; PRIORITY %" PRId32 ".",
                   place + 1, of->name, queue == it->queue ? " itself" : "", part->usage,
                   of->slot_share, over.text, of->priority);
}

static void explain_order(const cutting *it)
{
    const allot__order *order = &it->about->rules->policy->slices;
    int32_t left = 0;
    allot__explain(it->about, "Its queues go by %s, then as in the plan (Q-42):",
                   allot__explain_keys(it->about, ALLOT_QUEUES, order).text);
    for (int32_t place = 0; place < it->count; place++)
        if (place < NAMED || it->order[place] == it->queue)
            explain_place(it, place);
        else
            left++;
    if (left > 0)
        allot__explain(it->about, "  (and %" PRId32 " more)", left);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* One round over all rows; tells the own row's. Returns what is left. */
static int64_t explain_round(const cutting *it, int64_t base, int32_t round)
{
    int64_t left = base;
    for (int32_t i = 0; i < it->rows_count && left > 0; i++) {
        allot__slice_row *row = &it->rows[i];
        int64_t part = (base * row->share + 99) / 100;
        int64_t lacks = row->wants > row->slice ? row->wants - row->slice : 0;
        int64_t gets = allot__least(allot__least(part, lacks), left);
        if (i == it->at && (gets > 0 || round == 1)) {
            const char *by = gets == part    ? ""
                             : gets == lacks ? ", but it wants no more than that"
                                             : ", but that is all that is left";
            allot__explain(it->about,
                           "  %s: ceil(%" PRId64 " * %" PRId32 " / 100) = %" PRId64
                           ", it gets %" PRId64 "%s (%s).",
                           round == 1 ? "First" : "Of what is left", base, row->share, part, gets,
                           by, round == 1 ? "Q-30" : "Q-31");
        }
        row->slice += gets;
        left -= gets;
    }
    return left;
}

static void explain_steps(const cutting *it, const allot__cut *cut)
{
    int64_t left = cut->base;
    for (int32_t round = 1; left > 0; round++) {
        int64_t before = left;
        left = explain_round(it, left, round);
        if (it->pool->by_priority || left == before)
            break;
    }
    if (it->rows[it->at].slice < cut->row.used) {
        allot__explain(it->about, "  It uses %" PRId64 ", which it keeps, but gets no more (Q-34).",
                       cut->row.used);
    }
}

/* Rows of the cut that the queue's slice comes from; false: some were cut again since. */
static bool gather(cutting *it, const allot__cut *cut)
{
    for (int32_t place = 0; place < it->count; place++) {
        const allot__cut *other = cut_of(it, it->order[place]);
        if (other->number > cut->number)
            return false;
        if (other->number == cut->number) {
            it->at = it->order[place] == it->queue ? it->rows_count : it->at;
            it->rows[it->rows_count] = other->row;
            it->rows[it->rows_count++].slice = 0;
        }
    }
    return true;
}

void allot__explain_may_use(const allot__explanation *about, const allot__cut *cut)
{
    allot__explain(
        about,
        "Of that it might use %" PRId64 " when it had its turn: what was free besides is "
        "for queues before it in the pool's order, which lack some of their slices and have "
        "their turns later (Q-43).",
        cut->may);
}

static void explain_slice(cutting *it)
{
    const allot__cut *cut = cut_of(it, it->queue);
    const allot_queue *queue = allot__queue_at(it->queues, it->queue);
    allot__explain(
        it->about, "Its SLOT_SHARE is %" PRId32 " %% of %s%s, and it uses or wants %" PRId64 ":",
        queue->slot_share, allot__phrase_slots(cut->base).text,
        cut->number > 1 ? ", counted anew behind other queues (A-26)" : "", cut->row.wants);
    if (gather(it, cut)) {
        explain_steps(it, cut);
    } else {
        allot__explain(it->about,
                       "  First: ceil(%" PRId64 " * %" PRId32 " / 100) = %" PRId64
                       ", with what it uses and wants %" PRId64
                       " (Q-30); then what is left (Q-31).",
                       cut->base, queue->slot_share, (cut->base * queue->slot_share + 99) / 100,
                       cut->row.first);
    }
    allot__explain(it->about, "Its slice is %" PRId64 ".", cut->row.slice);
    if (cut->may < cut->row.slice)
        allot__explain_may_use(it->about, cut);
    if (it->pool->by_priority)
        allot__explain(it->about, "What is left goes to the pool's jobs by their priority (A-30).");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void explain_pool(const cutting *it, int32_t number)
{
    const allot_pool_part *part = &it->out->pools[number];
    char most[80] = "";
    if (it->pool->most != ALLOT_NONE)
        snprintf(most, sizeof most, ", and MAX_SLOTS_IN_POOL is %" PRId32, it->pool->most);
    allot__explain(it->about,
                   "It shares pool %s: when that had its turn, its %" PRId32
                   " queue%s used %" PRId64 " and %" PRId64 " were free%s, so %" PRId64
                   " are divided (Q-20).",
                   it->pool->name, it->pool->count, it->pool->count == 1 ? "" : "s", part->used,
                   part->free, most, part->slots);
}

int allot__explain_slices(const allot__explanation *about, int32_t queue)
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
