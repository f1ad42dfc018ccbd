/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* trace.c: any bytes as a log, in the Standard Workload Format or of events, played through a plan
 * of consumers and one of queues for a bounded number of cycles. */
#include "test/fuzz/fuzz.h"

#include <allot/simulate.h>

enum { CYCLES_MOST = 400 };

typedef struct source {
    const uint8_t *data;
    size_t left;
} source;

static int64_t give(void *ud, char *buf, size_t size)
{
    source *it = ud;
    size_t some = it->left < size ? it->left : size;
    memcpy(buf, it->data, some);
    it->data += some;
    it->left -= some;
    return (int64_t)some;
}

static int decided(void *ud, const allot_decision *decision, allot_report *report)
{
    int *cycles = ud;
    (void)decision;
    (void)report;
    return ++*cycles > CYCLES_MOST ? ALLOT_EUSAGE : ALLOT_OK;
}

static void play(fuzz *it, const allot_trace *trace, const char *text, int rigid)
{
    allot_plan *plan = NULL;
    allot_simulation *simulation = NULL;
    const allot_simulation_options options = {.rigid = rigid};
    int cycles = 0;
    const allot_watcher watcher = {.ud = &cycles, .decided = decided};
    allot_figures figures;
    allot_report_clear(it->report);
    MUST(fuzz_plan(it, text, strlen(text), &plan) == ALLOT_OK);
    MUST(allot_simulation_new(plan, &options, &simulation) == ALLOT_OK);
    int status = allot_simulation_load(simulation, trace, NULL, NULL, it->report);
    MUST(status == ALLOT_OK || status == ALLOT_EINVALID);
    if (status == ALLOT_OK) {
        allot_simulation_watch(simulation, &watcher);
        status = allot_simulation_run(simulation, it->report);
        MUST(status == ALLOT_OK || status == ALLOT_EINVALID || cycles > CYCLES_MOST);
    }
    if (status == ALLOT_OK)
        MUST(allot_simulation_figures(simulation, ALLOT_ROOT, &figures) == ALLOT_OK);
    allot_simulation_free(simulation);
    allot_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char tree[] =
        "{\"slots\": 20, \"policy\": \"hybrid\", \"hosts\": {\"h\": {\"slots\": 20}}, "
        "\"consumers\":"
        " [{\"name\": \"g1\", \"owned\": 12, \"children\": [{\"name\": \"u1\", \"owned\": 4},"
        " {\"name\": \"u2\", \"grace\": 5}]}, {\"name\": \"g2\", \"owned\": 8}]}";
    static const char queues[] =
        "{\"hosts\": {\"h\": {\"slots\": 20}}, \"queues\": [{\"name\": \"q1\","
        " \"priority\": 5, \"preemptive\": true}, {\"name\": \"g1\"},"
        " {\"name\": \"g2\"}]}";
    fuzz it;
    source from = {data, size};
    allot_trace *trace = NULL;
    fuzz_begin(&it);
    int status = allot_trace_read(it.engine, give, &from, "log", it.report, &trace);
    MUST(status == ALLOT_OK || status == ALLOT_EINVALID);
    fuzz_sound(&it, status, trace);
    if (status == ALLOT_OK) {
        play(&it, trace, tree, 0);
        play(&it, trace, tree, 1);
        play(&it, trace, queues, 0);
    }
    allot_trace_free(trace);
    fuzz_end(&it);
    return 0;
}
