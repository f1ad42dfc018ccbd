/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * embed.c: allot inside another program: two documents, a ready-made policy, one cycle.
 *
 *   cc embed.c $(pkg-config --cflags --libs allot) -o embed
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <allot/json.h>
#include <allot/script.h>

static const char plan_text[] =
    "{\"version\": 1, \"policy\": \"hybrid\", \"consumers\": ["
    "{\"name\": \"physics\", \"owned\": 15}, {\"name\": \"chemistry\", \"owned\": 9},"
    "{\"name\": \"guests\", \"rank\": 1}]}";
static const char state_text[] =
    "{\"now\": 1700000000, \"consumers\": {\"/physics\": {\"demand\": 20, \"allocated\": 10},"
    "\"/chemistry\": {\"demand\": 4, \"allocated\": 2},"
    "\"/guests\": {\"demand\": 20, \"allocated\": 10}}}";

/* Rows in plan order, parents before children. */
static void show(const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t consumer = ALLOT_ROOT;
    while ((consumer = allot_plan_next(plan, consumer)) != ALLOT_ROOT) {
        allot_verdict verdict;
        if (allot_decision_verdict(decision, 0, consumer, &verdict) == ALLOT_OK)
            printf("%s: quota %" PRId64 ", granted %" PRId64 ", gives back %" PRId64 "\n",
                   allot_plan_name(plan, consumer), verdict.quota, verdict.granted,
                   verdict.reclaimed);
    }
}

static int decide(allot_engine *engine, const allot_policy_loader *loader, allot_report *report)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status =
        allot_plan_read(engine, plan_text, strlen(plan_text), "plan", loader, report, &plan);
    if (status == ALLOT_OK)
        status = allot_state_read(plan, state_text, strlen(state_text), "state", report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(plan, state, report, &decision);
    if (status == ALLOT_OK)
        show(decision);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

int main(void)
{
    allot_engine *engine = NULL;
    allot_report *report = NULL;
    allot_policy_loader loader = {.ud = NULL};
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status == ALLOT_OK)
        status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = allot_script_loader_new(engine, NULL, &loader);
    if (status == ALLOT_OK)
        status = decide(engine, &loader, report);
    for (int32_t i = 0; i < allot_report_count(report); i++)
        fprintf(stderr, "embed: %s\n", allot_report_at(report, i)->message);
    if (loader.load)
        allot_script_loader_free(engine, &loader);
    allot_report_free(report);
    allot_engine_free(engine);
    return status == ALLOT_OK ? 0 : 1;
}
