/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fuzz.h: what fuzz targets share.
 *
 * A target is a file beside this one: any bytes go in, and whatever comes of them, nothing crashes,
 * leaks or breaks what the target's first comment promises. With ALLOT_FUZZ and clang libFuzzer
 * drives a target; else main.c does, which changes inputs by itself. What a target finds becomes a
 * file in seeds/TARGET/. `.ci/fuzz` runs them all.
 */
#ifndef ALLOT_TEST_FUZZ_H
#define ALLOT_TEST_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <allot/json.h>
#include <allot/script.h>
#include <allot/service.h>

#include "test/support/oom.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process where something does not hold, so that the driver keeps the input. */
#define MUST(holds)                                                                                \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #holds);        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* An engine whose memory is counted, and a report. */
typedef struct fuzz {
    oom memory;
    allot_engine *engine;
    allot_report *report;
} fuzz;

static inline void fuzz_begin(fuzz *it)
{
    *it = (fuzz){.engine = NULL};
    MUST(allot_engine_new(oom_alloc, &it->memory, &it->engine) == ALLOT_OK);
    MUST(allot_report_new(it->engine, &it->report) == ALLOT_OK);
}

static inline void fuzz_end(fuzz *it)
{
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    MUST(oom_clean(&it->memory));
}

static inline int fuzz_nowhere(void *ud, const char *text, size_t len)
{
    (void)ud;
    (void)text;
    (void)len;
    return 0;
}

/* Ready-made policies alone: no input names a file. */
static inline int fuzz_load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                            const allot_use_option *options, int32_t count, allot_policy **out,
                            allot_report *report)
{
    size_t len;
    const char *text = allot_ready_policy_text(use, &len);
    (void)ud;
    (void)plan_file;
    if (!text) {
        allot_report_say(report, ALLOT_ERROR, "E-io", "no file is read here");
        return ALLOT_EIO;
    }
    return allot_script_load(engine, text, len, use, options, count, NULL, report, out);
}

static inline int fuzz_plan(fuzz *it, const char *text, size_t len, allot_plan **out)
{
    static const allot_policy_loader loader = {.load = fuzz_load};
    return allot_plan_read(it->engine, text, len, "plan.json", &loader, it->report, out);
}

/* Well, or badly with a reason: an error says where, and only what failed has one. */
static inline void fuzz_sound(const fuzz *it, int status, const void *made)
{
    MUST((status == ALLOT_OK) == (made != NULL));
    MUST((status == ALLOT_OK) == (allot_report_total(it->report, ALLOT_ERROR) == 0));
    MUST(allot_report_write(it->report, fuzz_nowhere, NULL) == ALLOT_OK);
}

/* Computes a store's record again, for `cycle` to look at; the status. */
static inline int fuzz_replay(const char *store, const char *plan,
                              int (*cycle)(void *ud, const allot_replayed *cycle))
{
    fuzz base;
    allot_replay_config config;
    const allot_replay_visitor visitor = {.cycle = cycle};
    fuzz_begin(&base);
    allot_replay_config_init(&config);
    config.store = store;
    config.plan = plan;
    int status = allot_service_replay(base.engine, &config, &visitor, base.report);
    MUST(allot_report_write(base.report, fuzz_nowhere, NULL) == ALLOT_OK);
    fuzz_end(&base);
    return status;
}

/* A cycle, told whole; it may fail only where a policy's own functions do. */
static inline void fuzz_decide(fuzz *it, const allot_plan *plan, const allot_state *state)
{
    allot_decision *decision = NULL;
    int status = allot_cycle(plan, state, it->report, &decision);
    MUST(status == ALLOT_OK || status == ALLOT_ESCRIPT || status == ALLOT_EBUDGET);
    if (status == ALLOT_OK) {
        MUST(allot_decision_write(decision, it->report, fuzz_nowhere, NULL) == ALLOT_OK);
        for (int32_t i = 0; i < allot_plan_consumers(plan) && i < 40; i++)
            MUST(allot_explain_facts(decision, ALLOT_OF_CONSUMER, NULL, i, 0, fuzz_nowhere, NULL) ==
                 ALLOT_OK);
    }
    allot_decision_free(decision);
}

#endif
