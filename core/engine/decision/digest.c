/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* digest.c: hashes of a decision's inputs and results. */
#include "engine/decision/decision.h"

#include "engine/jobs/dispatch.h"
#include "engine/whole/whole.h"

/* Four independent sums, so that none waits for another. */
typedef struct digest {
    uint64_t lanes[4];
} digest;

static uint64_t mix(uint64_t sum, uint64_t number)
{
    sum = (sum ^ number) * 0x9E3779B97F4A7C15U;
    return sum ^ sum >> 29;
}

static void add_column(digest *to, const int32_t *column, int32_t rows)
{
    int32_t i = 0;
    if (!column)
        return;
    for (; i + 8 <= rows; i += 8)
        for (int lane = 0; lane < 4; lane++)
            to->lanes[lane] =
                mix(to->lanes[lane],
                    (uint32_t)column[i + lane] | (uint64_t)(uint32_t)column[i + 4 + lane] << 32);
    for (; i < rows; i++)
        to->lanes[i % 4] = mix(to->lanes[i % 4], (uint32_t)column[i]);
}

static void add(digest *to, int64_t number)
{
    to->lanes[0] = mix(to->lanes[0], (uint64_t)number);
}

static uint64_t sum_of(const digest *from)
{
    uint64_t sum = from->lanes[0];
    for (int lane = 1; lane < 4; lane++)
        sum = mix(sum, from->lanes[lane]);
    return sum;
}

static void add_jobs(const allot_decision *decision, digest *input, digest *output)
{
    for (int32_t i = 0; i < allot_plan_queues(decision->plan); i++) {
        allot_queue_part part;
        allot_decision_queue(decision, i, &part);
        add(input, part.pending);
        add(input, part.running);
        add(input, part.suspended);
        add(output, part.slice);
        add(output, part.usage);
    }
    uint64_t use = 0; /* users' numbers may differ */
    for (int32_t i = 0; i < allot_decision_users(decision); i++) {
        allot_user_part user;
        if (allot_decision_user(decision, i, &user) == ALLOT_OK)
            use += (uint64_t)user.usage;
    }
    if (use > 0)
        add(output, (int64_t)use);
    for (int32_t i = 0; i < allot_decision_job_orders(decision); i++) {
        allot_job_order order;
        allot_decision_job_order(decision, i, &order);
        add(output, (int64_t)order.kind);
        add(output, order.job);
        add(output, order.slots);
    }
}

/* The digest of first: over columns, one number after the other. */
static void add_columns(const allot_decision *decision, const allot__work *work, digest *input,
                        digest *output)
{
    int32_t rows = decision->plan->tree.rows;
    add_column(input, work->whole ? work->whole->stated : work->demand, rows);
    add_column(input, work->allocated, rows);
    add_column(output, work->quota, rows);
    if (decision->last >= ALLOT_STAGE_DISTRIBUTE)
        add_column(output, work->received, rows);
    if (decision->last >= ALLOT_STAGE_RECLAIM)
        add_column(output, work->reclaimed, rows);
}

static void add_rows(const allot_decision *decision, const allot__work *work, digest *input,
                     digest *output)
{
    const int32_t *demand = work->whole ? work->whole->stated : work->demand;
    allot__digest sum = decision->follow ? decision->follow->groups[work->index].digest
                                         : allot__digest_rows(work, demand, decision->last);
    add(input, (int64_t)sum.input);
    add(output, (int64_t)sum.output);
}

static void digest_with(const allot_decision *decision,
                        void (*add_group)(const allot_decision *, const allot__work *, digest *,
                                          digest *),
                        uint64_t *input, uint64_t *output)
{
    digest from = {{1, 2, 3, 4}}, to = {{5, 6, 7, 8}};
    add(&from, allot_decision_now(decision));
    for (int32_t g = 0; g < decision->plan->group_count; g++) {
        const allot__work *work = &decision->groups[g].work;
        add(&from, allot_state_slots_get(decision->state, g));
        if (!decision->dispatched)
            add_group(decision, work, &from, &to);
    }
    if (decision->dispatched)
        add_jobs(decision, &from, &to);
    *input = sum_of(&from);
    *output = sum_of(&to);
}

void allot_decision_digest(const allot_decision *decision, uint64_t *input, uint64_t *output)
{
    digest_with(decision, add_rows, input, output);
}

void allot_decision_digest_first(const allot_decision *decision, uint64_t *input, uint64_t *output)
{
    digest_with(decision, add_columns, input, output);
}
