/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy.c: any bytes as a policy, for consumers and for queues: it is refused, or its cycles work
 * or fail with a reason, within little memory and few instructions. */
#include "test/fuzz/fuzz.h"

typedef struct source {
    const char *text;
    size_t len;
} source;

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    static const allot_script_limits limits = {.memory = 1 << 20, .instructions = 100000};
    const source *it = ud;
    (void)use;
    (void)plan_file;
    return allot_script_load(engine, it->text, it->len, "fuzz.lua", options, count, &limits, report,
                             out);
}

static const char consumers[] =
    "{\"policy\": \"x\", \"slots\": 20, \"consumers\": [{\"name\": \"a\", \"owned\": 8,"
    " \"children\": [{\"name\": \"x\", \"owned\": 5, \"grace\": 3}, {\"name\": \"y\"}]},"
    " {\"name\": \"b\", \"owned\": 4, \"rank\": 2}, {\"name\": \"c\", \"share\": 7}],"
    " \"hosts\": {\"h\": {\"slots\": 20}}}";
static const char wanted[] =
    "{\"now\": 1800000000, \"consumers\": {\"/a/x\": {\"demand\": 9, \"allocated\": 2}, \"/a/y\":"
    " {\"demand\": 5, \"allocated\": 6}, \"/b\": {\"demand\": 11, \"allocated\": 1}, \"/c\":"
    " {\"demand\": 0, \"allocated\": 9}}, \"sessions\": [{\"id\": \"s\", \"consumer\": \"/c\"}],"
    " \"tasks\": [{\"id\": \"1\", \"consumer\": \"/c\", \"session\": \"s\", \"host\": \"h\","
    " \"slots\": 4, \"started\": 1799999000}, {\"id\": \"2\", \"consumer\": \"/c\", \"slots\": "
    "5}]}";
static const char queues[] =
    "{\"policy\": \"x\", \"hosts\": {\"h\": {\"slots\": 4}}, \"queues\": [{\"name\": \"high\","
    " \"priority\": 9, \"preemptive\": true}, {\"name\": \"low\", \"priority\": 1}]}";
static const char jobs[] =
    "{\"now\": 1800000000, \"jobs\": [{\"id\": \"1\", \"queue\": \"low\", \"slots\": 4, \"state\":"
    " \"running\", \"hosts\": {\"h\": 4}, \"started\": 1799999000}, {\"id\": \"2\", \"queue\":"
    " \"high\", \"slots\": 2, \"submitted\": 1799999900}]}";

static void decide(source *policy, const char *plan_text, const char *state_text)
{
    const allot_policy_loader loader = {.ud = policy, .load = load};
    fuzz it;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    fuzz_begin(&it);
    int status = allot_plan_read(it.engine, plan_text, strlen(plan_text), "plan.json", &loader,
                                 it.report, &plan);
    MUST(status == ALLOT_OK || status == ALLOT_EINVALID || status == ALLOT_EBUDGET ||
         status == ALLOT_ESCRIPT);
    fuzz_sound(&it, status, plan);
    if (status == ALLOT_OK) {
        allot_report_clear(it.report);
        status =
            allot_state_read(plan, state_text, strlen(state_text), "state.json", it.report, &state);
        MUST(status == ALLOT_OK || status == ALLOT_EINVALID); /* it may ask for attributes */
        if (status == ALLOT_OK)
            fuzz_decide(&it, plan, state);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    fuzz_end(&it);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source it = {(const char *)data, size};
    decide(&it, consumers, wanted);
    decide(&it, queues, jobs);
    return 0;
}
