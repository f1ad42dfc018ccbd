/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain_queue.c: what `explain` tells of a queue. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/queues.h"

enum { LINE_MAX_SIZE = 400, NAMED = 8 };

typedef struct teller {
    void (*line)(void *ud, const char *text);
    void *ud;
    const allot_decision *decision;
    const allot_plan *plan;
    int32_t number;
    allot_queue queue;
    allot_queue_part part;
} teller;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(teller *to, const char *format, ...)
{
    char text[LINE_MAX_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    to->line(to->ud, text);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_slots(teller *to)
{
    const allot_queue_part *part = &to->part;
    int64_t after = part->running + part->started + part->resumed + part->grown - part->preempted;
    say(to, "/%s is a queue of priority %" PRId32 ".", to->queue.name, to->queue.priority);
    say(to,
        "Before this cycle %" PRId64 " slot%s run its jobs, pending ones ask for %" PRId64
        ", suspended ones for %" PRId64 ".",
        part->running, plural(part->running), part->pending, part->suspended);
    say(to,
        "This cycle starts jobs on %" PRId64 " slot%s, resumes on %" PRId64 ", grows by %" PRId64
        " and preempts %" PRId64 ": behind it %" PRId64 " run them.",
        part->started, plural(part->started), part->resumed, part->grown, part->preempted, after);
}

static void say_pool(teller *to)
{
    int32_t number = allot_plan_queue_pool(to->plan, to->number);
    allot_pool_part pool;
    if (number < 0 || allot_decision_pool(to->decision, number, &pool) != ALLOT_OK)
        return;
    say(to,
        "The pool %s has %" PRId64 " slot%s, %" PRId64 " of them free: its share of %" PRId32
        " %% is a slice of %" PRId64 ".",
        allot_plan_pool_name(to->plan, number), pool.slots, plural(pool.slots), pool.free,
        to->queue.slot_share, to->part.slice);
    say(to, "What it has used, faded with time, is %" PRId64 " slot-second%s.", to->part.usage,
        plural(to->part.usage));
}

/* The queues that one may preempt, or by which: the first few by name. */
static void say_relation(teller *to, bool above)
{
    char names[300] = "";
    size_t len = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < allot_plan_queues(to->plan); i++) {
        allot_queue other;
        bool may = above ? allot_plan_may_preempt(to->plan, i, to->number)
                         : allot_plan_may_preempt(to->plan, to->number, i);
        if (!may || allot_plan_queue_at(to->plan, i, &other) != ALLOT_OK)
            continue;
        if (count++ < NAMED && len < sizeof names)
            len += (size_t)snprintf(names + len, sizeof names - len, "%s%.30s",
                                    count > 1 ? ", " : "", other.name);
    }
    if (count > NAMED && len < sizeof names)
        snprintf(names + len, sizeof names - len, " and %d more", (int)count - NAMED);
    if (count > 0)
        say(to, above ? "Its jobs may be preempted by those of: %s." : "Its jobs may preempt: %s.",
            names);
    else
        say(to, above ? "Nobody may preempt its jobs." : "Its jobs may preempt nobody's.");
}

static void say_waiting(teller *to)
{
    int64_t counts[ALLOT_PEND_COUNT] = {0};
    const allot_state *state = allot_decision_state(to->decision);
    for (int32_t i = 0; i < allot_state_jobs(state); i++) {
        allot_job job;
        allot_pending_of of;
        if (allot_state_job_at(state, i, &job) == ALLOT_OK && job.queue == to->number &&
            allot_decision_pending(to->decision, i, &of) == ALLOT_OK)
            counts[of.why]++;
    }
    for (int i = ALLOT_PEND_NOT + 1; i < ALLOT_PEND_COUNT; i++)
        if (counts[i] > 0)
            say(to, "%" PRId64 " job%s wait%s: %s.", counts[i], plural(counts[i]),
                counts[i] == 1 ? "s" : "", allot__cli_pending_text(i));
}

int allot__cli_explain_queue(const allot_decision *decision, int32_t queue,
                             void (*line)(void *ud, const char *text), void *ud)
{
    teller to = {.line = line,
                 .ud = ud,
                 .decision = decision,
                 .plan = allot_decision_plan(decision),
                 .number = queue};
    int status = allot_plan_queue_at(to.plan, queue, &to.queue);
    if (status == ALLOT_OK)
        status = allot_decision_queue(decision, queue, &to.part);
    if (status != ALLOT_OK)
        return status;
    say_slots(&to);
    say_pool(&to);
    say_relation(&to, false);
    say_relation(&to, true);
    say_waiting(&to);
    return ALLOT_OK;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void say_order(teller *to, const allot_job_order *order)
{
    static const char *const words[ALLOT_ORDER_COUNT] = {"starts", "is resumed", "grows",
                                                         "is suspended", "is killed"};
    allot_job by;
    bool known = order->preemptor >= 0 && allot_state_job_at(allot_decision_state(to->decision),
                                                             order->preemptor, &by) == ALLOT_OK;
    say(to, "It %s on %" PRId64 " slot%s (%s)%s%.80s%s.", words[order->kind], order->slots,
        plural(order->slots), order->reason, known ? ", for job " : "", known ? by.id : "",
        order->held ? ", once it has been told of its new slots" : "");
}

static void say_pending(teller *to, int32_t job)
{
    allot_pending_of of;
    if (allot_decision_pending(to->decision, job, &of) != ALLOT_OK || of.why == ALLOT_PEND_NOT)
        return;
    if (of.limit != NULL)
        say(to, "It waits: %s, %.100s: %" PRId64 " of %" PRId64 " are used.",
            allot__cli_pending_text((int)of.why), of.limit, of.used, of.most);
    else
        say(to, "It waits: %s.", allot__cli_pending_text((int)of.why));
}

int allot__cli_explain_job(const allot_decision *decision, const char *id,
                           void (*line)(void *ud, const char *text), void *ud)
{
    const allot_state *state = allot_decision_state(decision);
    teller to = {
        .line = line, .ud = ud, .decision = decision, .plan = allot_decision_plan(decision)};
    int32_t number = allot_state_job_find(state, id);
    allot_job job;
    if (number < 0 || allot_state_job_at(state, number, &job) != ALLOT_OK)
        return ALLOT_ENOENT;
    int status = allot_plan_queue_at(to.plan, job.queue, &to.queue);
    if (status != ALLOT_OK)
        return status;
    say(&to, "Job %.80s of queue %s (priority %" PRId32 ") is %s, %" PRId64 " slot%s.", job.id,
        to.queue.name, to.queue.priority, allot_job_state_name((int)job.state), job.slots,
        plural(job.slots));
    for (int32_t i = 0; i < allot_decision_job_orders(decision); i++) {
        allot_job_order order;
        if (allot_decision_job_order(decision, i, &order) == ALLOT_OK && order.job == number)
            say_order(&to, &order);
    }
    say_pending(&to, number);
    return ALLOT_OK;
}
