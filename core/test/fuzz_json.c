/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fuzz_json.c: any bytes as a plan and as a state, for libFuzzer.
 *
 *   clang -g -fsanitize=fuzzer,address,undefined -Icore -Icore/include core/test/fuzz_json.c \
 *         core/test/oom.c core/base/?*.c core/model/?*.c core/engine/?*.c core/json/?*.c -lcjson
 * -lm
 *
 * Nothing lacks memory here, so ENOMEM says that cJSON refused what the scan let pass.
 */
#include "test/json_fixture.h"

static const char plan_text[] = "{\"policy\": \"weigh\", \"groups\": {\"g\": {}}, \"consumers\": "
                                "[{\"name\": \"a\", \"owned\": 4, \"children\": [{\"name\": "
                                "\"b\"}]}, {\"name\": \"c\"}], \"hosts\": {\"h\": {\"slots\": 3}}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

/* Well or badly: but with a reason. */
static void check_status(bench *it, int status, const void *made)
{
    must(status == ALLOT_OK || status == ALLOT_EINVALID);
    must((status == ALLOT_OK) == (made != NULL));
    must((status == ALLOT_OK) == (allot_report_total(it->report, ALLOT_ERROR) == 0));
    for (int32_t i = 0; i < allot_report_count(it->report); i++) {
        const allot_diagnostic *finding = allot_report_at(it->report, i);
        must(finding->line > 0 && finding->col > 0 && finding->width > 0);
    }
}

static int ignore(void *ud, const char *text, size_t len)
{
    (void)ud;
    (void)text;
    (void)len;
    return 0;
}

static void decide(bench *it)
{
    allot_decision *decision = NULL;
    if (allot_cycle(it->plan, it->state, NULL, &decision) == ALLOT_OK)
        must(allot_decision_write(decision, it->report, ignore, NULL) == ALLOT_OK);
    allot_decision_free(decision);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    bench it;
    bench_begin(&it);
    check_status(&it, bench_plan_bytes(&it, text, size), it.plan);
    must(allot_report_write(it.report, ignore, NULL) == ALLOT_OK);
    must(bench_plan(&it, plan_text) == ALLOT_OK);
    int status = allot_state_read(it.plan, text, size, "state.json", it.report, &it.state);
    check_status(&it, status, it.state);
    if (status == ALLOT_OK)
        decide(&it);
    bench_end(&it);
    must(check__.failed_checks == 0);
    return 0;
}
