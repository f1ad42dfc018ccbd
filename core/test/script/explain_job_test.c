/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain_job_test.c: explaining jobs, queues and contracts: every case, and memory failing. */
#include <allot/lease.h>

#include "base/memory.h"
#include "test/support/queues.h"

static int32_t low, high, pool;

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

static void pooled(allot_queue *queue)
{
    queue->slot_pool = "P";
    queue->slot_share = 50;
    queue->max_slots_in_pool = 1;
}

/* Somebody goes, comes, waits for each of several reasons; hosts are leased. */
static void begin(queues *q)
{
    queues_begin(q);
    queues_host(q, "h1", 4);
    queues_host(q, "h2", 2);
    low = queues_add(q, "low", 1, NULL);
    high = queues_add(q, "high", 9, preemptive);
    pool = queues_add(q, "pool", 2, pooled);
    allot_lease lease = {.name = "L",
                         .provider = "us",
                         .consumer = "them",
                         .hosts = &(allot_lease_host){"h2", 1},
                         .host_count = 1,
                         .shared = 1,
                         .reclaim_delay = 600};
    CHECK_EQ(allot_plan_lease(q->it.plan, &lease), ALLOT_OK);
    queues_seal(q);
    queues_on(q, "l1", low, ALLOT_RUNNING, "h1", 2);
    queues_on(q, "l2", low, ALLOT_RUNNING, "h1", 2);
    queues_on(q, "l3", low, ALLOT_SUSPENDED, "h1", 1);
    queues_pending(q, "h", high, 2);
    queues_pending(q, "big", high, 6);
    queues_pending(q, "p1", pool, 1);
    queues_pending(q, "p2", pool, 1);
    queues_run(q);
}

typedef struct seen {
    char text[8192];
    int lines;
} seen;

static void note(void *ud, const char *text)
{
    seen *to = ud;
    size_t len = strlen(to->text);
    snprintf(to->text + len, sizeof to->text - len, "%s\n", text);
    to->lines++;
}

/* What is explained: a job by its id, a queue by its path or (else) the contract. */
static allot_subject subject_of(const queues *q, const char *what, int32_t *number)
{
    bool path = what[0] == '/';
    *number = path ? allot_plan_find(q->it.plan, what, strlen(what)) : 0;
    return path ? ALLOT_OF_CONSUMER : strcmp(what, "L") == 0 ? ALLOT_OF_LEASE : ALLOT_OF_JOB;
}

static int ask(const queues *q, const char *what, seen *out)
{
    int32_t number;
    allot_subject subject = subject_of(q, what, &number);
    *out = (seen){.lines = 0};
    return subject == ALLOT_OF_LEASE ? allot_explain_lease(q->decision, 0, note, out)
           : subject == ALLOT_OF_JOB ? allot_explain_job(q->decision, what, note, out)
                                     : allot_explain(q->decision, 0, number, note, out);
}

static int keep(void *ud, const char *text, size_t len)
{
    seen *to = ud;
    snprintf(to->text, sizeof to->text, "%.*s", (int)len, text);
    return 0;
}

static int ask_facts(const queues *q, const char *what, seen *out)
{
    int32_t number;
    allot_subject subject = subject_of(q, what, &number);
    *out = (seen){.lines = 0};
    return allot_explain_facts(q->decision, subject, what, number, 0, keep, out);
}

static const char *const asked[] = {"l1", "l2", "l3",   "h",     "big",  "p1",
                                    "p2", "L",  "/low", "/high", "/pool"};

static void test_it_is_told_once_and_again(void)
{
    queues q;
    seen first, again;
    begin(&q);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        CHECK_EQ(ask(&q, asked[i], &first), ALLOT_OK);
        CHECK(first.lines > 1);
        CHECK_EQ(ask(&q, asked[i], &again), ALLOT_OK);
        CHECK_STR(again.text, first.text);
    }
    queues_end(&q);
}

/* A cycle in which nothing is ordered is told as well. */
static void test_nothing_happened(void)
{
    queues q;
    seen out;
    queues_begin(&q);
    queues_host(&q, "h1", 3);
    low = queues_add(&q, "low", 1, NULL);
    high = queues_add(&q, "high", 9, preemptive);
    int32_t top = queues_add(&q, "top", 10, NULL);
    queues_seal(&q);
    queues_on(&q, "l", low, ALLOT_RUNNING, "h1", 2);
    queues_on(&q, "t", top, ALLOT_RUNNING, "h1", 1);
    queues_pending(&q, "big", high, 3);
    queues_run(&q);
    CHECK_EQ(ask(&q, "big", &out), ALLOT_OK);
    CHECK(strstr(out.text, "/low (PRIORITY 1): 1 job (2 slots) there.") != NULL);
    queues_end(&q);
}

static void test_only_what_there_is(void)
{
    queues q;
    seen out;
    begin(&q);
    CHECK_EQ(ask(&q, "nobody", &out), ALLOT_ENOENT);
    CHECK_EQ(out.lines, 0);
    CHECK_EQ(allot_explain_job(NULL, "h", note, &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_explain_job(q.decision, NULL, note, &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_explain_job(q.decision, "h", NULL, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_explain_lease(q.decision, 1, note, &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_explain_lease(q.decision, 0, NULL, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_explain_facts(q.decision, ALLOT_OF_JOB, NULL, 0, 0, keep, &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_explain_facts(q.decision, ALLOT_OF_LEASE, NULL, 0, 0, NULL, &out), ALLOT_EUSAGE);
    CHECK(!allot_pending_text(-1) && !allot_pending_text(ALLOT_PEND_COUNT));
    queues_end(&q);
}

/* Whichever allocation fails, nothing is lost, and then all is told as before. Each `step` is
 * tried, since a state of Lua takes many. */
static int run_out(int (*tell)(const queues *q, const char *what, seen *out), long step)
{
    queues q;
    seen whole, out;
    int failures = 0;
    begin(&q);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        CHECK_EQ(tell(&q, asked[i], &whole), ALLOT_OK);
        struct oom *memory = &q.it.memory;
        allot__spare_free(q.it.engine);
        allot__teller_free(q.it.engine);
        size_t blocks = memory->blocks;
        for (long n = 1;; n += step) {
            memory->fail_at = memory->calls + n;
            memory->failed = false;
            int status = tell(&q, asked[i], &out);
            bool failed = memory->failed;
            memory->fail_at = 0;
            CHECK(status == (failed ? ALLOT_ENOMEM : ALLOT_OK) || (step > 1 && failed));
            CHECK(status != ALLOT_OK || strcmp(out.text, whole.text) == 0);
            allot__spare_free(q.it.engine); /* else the next would need none */
            allot__teller_free(q.it.engine);
            CHECK_EQ(memory->blocks, blocks);
            failures += failed;
            if (!failed)
                break;
        }
        CHECK_EQ(tell(&q, asked[i], &out), ALLOT_OK);
        CHECK_STR(out.text, whole.text);
    }
    queues_end(&q);
    return failures;
}

static void test_memory_runs_out(void)
{
    CHECK(run_out(ask_facts, 1) > 0);
    CHECK(run_out(ask, 397) > 0);
}

int main(void)
{
    RUN(test_it_is_told_once_and_again);
    RUN(test_nothing_happened);
    RUN(test_only_what_there_is);
    RUN(test_memory_runs_out);
    return check_done();
}
