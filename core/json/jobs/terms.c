/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* terms.c: keys about jobs of all queues: `params`, `applications`, and what they share. */
#include <string.h>

#include "base/least.h"
#include "json/text/names.h"
#include "json/jobs/queues.h"

/* ---- Single values --------------------------------------------------------------------------- */

int32_t allot__number_take(const allot__value *value, int32_t none)
{
    return value->kind == ALLOT__INTEGER ? (int32_t)value->integer : none;
}

int32_t allot__yes_take(allot__doc *doc, const allot__value *value)
{
    static const char words[][6] = {"n", "no", "false", "y", "yes", "true"};
    if (value->kind != ALLOT__STRING)
        return value->kind == ALLOT__BOOLEAN && value->integer != 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (allot__word_is(value->string, words[i]))
            return i >= 3;
    allot__value_fault(doc, value, "true, false, \"Y\" or \"N\"");
    return 0;
}

/* The digits at *text as a number; -1: no digits, or more than `max`. */
static int64_t digits(const char **text, int64_t max)
{
    int64_t number = **text >= '0' && **text <= '9' ? 0 : -1;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        number = number < 0 || number > max ? -1 : number * 10 + (**text - '0');
    return number > max ? -1 : number;
}

static int32_t minutes(const allot__value *value)
{
    return value->kind == ALLOT__INTEGER ? (int32_t)value->integer * 60 : ALLOT_NONE;
}

/* "50%", from 1 % to `most`; 0: another text (reported). */
static int32_t percent_take(allot__doc *doc, const allot__value *value, int32_t most,
                            const char *allowed)
{
    const char *at = value->string;
    int64_t number = digits(&at, most);
    if (number >= 1 && strcmp(at, "%") == 0)
        return (int32_t)number;
    allot__value_fault(doc, value, allowed);
    return 0;
}

/* Minutes as above, or "50%". */
static int32_t minutes_or_percent(allot__doc *doc, const allot__value *value, int32_t *percent)
{
    if (value->kind != ALLOT__STRING)
        return minutes(value);
    *percent = percent_take(doc, value, 99, "minutes, or \"1%\" ... \"99%\" of the run limit");
    return ALLOT_NONE;
}

int32_t allot__part_take(allot__doc *doc, const allot__value *value, int32_t most, int32_t *percent)
{
    if (value->kind != ALLOT__STRING)
        return allot__number_take(value, ALLOT_NONE);
    *percent = percent_take(doc, value, most,
                            most == 100 ? "slots, or \"1%\" ... \"100%\" of the cluster's"
                                        : "slots, or \"1%\" ... \"100000%\" of the queue's");
    return ALLOT_NONE;
}

int32_t allot__run_limit_take(allot__doc *doc, const allot__value *value)
{
    if (value->kind != ALLOT__STRING)
        return minutes(value);
    const char *at = value->string;
    int64_t first = digits(&at, ALLOT__MINUTES_MAX), second = 0;
    bool colon = *at == ':';
    if (colon) {
        at++;
        second = digits(&at, 59);
    }
    int64_t sum = colon ? first * 60 + second : first;
    if (first >= 0 && second >= 0 && *at == '\0' && sum >= 1 && sum <= ALLOT__MINUTES_MAX)
        return (int32_t)sum * 60;
    allot__value_fault(doc, value, "minutes 1 ..., or \"hours:minutes\"");
    return ALLOT_NONE;
}

void allot__protection_take(allot__doc *doc, const allot__value *values, allot_protection *out)
{
    allot_protection_init(out);
    out->max_job_preempt = allot__number_take(&values[ALLOT__MAX_JOB_PREEMPT], ALLOT_NONE);
    out->max_total_time_preempt = minutes(&values[ALLOT__MAX_TOTAL_TIME_PREEMPT]);
    out->no_preempt_interval = minutes(&values[ALLOT__NO_PREEMPT_INTERVAL]);
    out->no_preempt_run_time =
        minutes_or_percent(doc, &values[ALLOT__NO_PREEMPT_RUN_TIME], &out->run_time_percent);
    out->no_preempt_finish_time =
        minutes_or_percent(doc, &values[ALLOT__NO_PREEMPT_FINISH_TIME], &out->finish_time_percent);
    out->preempt_delay = allot__number_take(&values[ALLOT__PREEMPT_DELAY], ALLOT_NONE);
}

/* ---- params ---------------------------------------------------------------------------------- */

enum {
    PREEMPT_FOR = ALLOT__PROTECTION_KEYS,
    PREEMPT_JOBTYPE,
    HIST_HOURS,
    HALF_LIFE,
    RESET,
    RECLAIM_DELAY,
    PREEMPTABLE_RESOURCES,
    PREEMPTION_WAIT_TIME,
    PARAM_KEYS
};
static const allot__field param_fields[PARAM_KEYS] = {
    ALLOT__PROTECTION_FIELDS,
    /* For the policy: plan/policy.c passes them on. */
    [PREEMPT_FOR] = {"preempt_for", ALLOT__STRING | ALLOT__LIST, 0, 0, false},
    [PREEMPT_JOBTYPE] = {"preempt_jobtype", ALLOT__STRING | ALLOT__LIST, 0, 0, false},
    [HIST_HOURS] = {"hist_hours", ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX / 3600, false},
    [HALF_LIFE] = {"half_life", ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX, false},
    [RESET] = {"max_job_preempt_reset", ALLOT__YES},
    [RECLAIM_DELAY] = {"mc_reclaim_delay", ALLOT__INTEGER, 0, ALLOT__MINUTES_MAX, false},
    /* resource.c reads these two. */
    [PREEMPTABLE_RESOURCES] = {"preemptable_resources", ALLOT__STRING | ALLOT__LIST, 0, 0, false},
    [PREEMPTION_WAIT_TIME] = {"preemption_wait_time", ALLOT__INTEGER, 300, ALLOT_AMOUNT_MAX, false},
};
static const allot__shape param_shape = {param_fields, PARAM_KEYS, 0};

/* How use fades: 10 parts in hist_hours, or 2 in a half_life. Stated once, in `params` or at the
 * top.
 */
static void set_decay(allot__plan_reader *reader, const allot__value *params)
{
    const allot__value *stated[] = {&reader->top[ALLOT__PLAN_HIST_HOURS],
                                    &reader->top[ALLOT__PLAN_HALF_LIFE], &params[HIST_HOURS],
                                    &params[HALF_LIFE]};
    const char *before = NULL;
    for (int i = 0; i < 4; i++) {
        bool half = i % 2 == 1;
        const char *name = param_fields[half ? HALF_LIFE : HIST_HOURS].key;
        /* A value that is a fault already states all the same that use is counted. */
        int64_t amount = stated[i]->kind != 0 ? stated[i]->integer : 0;
        allot_decay decay = {.period = amount * (half ? 1 : 3600), .parts = half ? 2 : 10};
        if (stated[i]->number == 0)
            continue;
        if (before)
            allot__doc_fault(&reader->doc, allot__at_key(stated[i]->number), "E-conflict", NULL,
                             "found \"%s\" beside \"%s\", allowed one of them", name, before);
        allot__doc_keep(&reader->doc, allot_plan_decay(reader->plan, &decay));
        before = name;
    }
}

static void set_params(allot__plan_reader *reader, const allot__value *values)
{
    allot__doc *doc = &reader->doc;
    allot_protection protection;
    allot__protection_take(doc, values, &protection);
    if (values[RESET].kind != 0 && !allot__yes_take(doc, &values[RESET]))
        allot__doc_warn(doc, allot__at(values[RESET].number), "W-params",
                        "keep the job's \"preempted\" in the state when it is requeued",
                        "how often a job was preempted is what the state says: nothing comes of "
                        "max_job_preempt_reset");
    if (values[RECLAIM_DELAY].kind != 0)
        reader->reclaim_delay = values[RECLAIM_DELAY].integer * 60;
    allot__doc_keep(doc, allot_plan_protection(reader->plan, &protection));
}

static void read_params(allot__plan_reader *reader)
{
    const allot__value *top = reader->top, *params = &top[ALLOT__PLAN_PARAMS];
    allot__value values[PARAM_KEYS] = {{0}};
    reader->reclaim_delay = 600;
    if (params->kind != 0) {
        allot__object_read(&reader->doc, params->number, &param_shape, values);
        set_params(reader, values);
    }
    set_decay(reader, values);
}

/* ---- applications ---------------------------------------------------------------------------- */

enum { RUNLIMIT = ALLOT__PROTECTION_KEYS, APPLICATION_KEYS };
static const allot__field application_fields[APPLICATION_KEYS] = {
    ALLOT__PROTECTION_FIELDS,
    [RUNLIMIT] = {"runlimit", ALLOT__INTEGER | ALLOT__STRING | ALLOT__NULL, 1, ALLOT__MINUTES_MAX,
                  false},
};
static const allot__shape application_shape = {application_fields, APPLICATION_KEYS, 0};

static void read_application(allot__plan_reader *reader, uint32_t number)
{
    allot__doc *doc = &reader->doc;
    allot__value values[APPLICATION_KEYS];
    allot_protection protection;
    if (!allot__kind_check(doc, number, ALLOT__OBJECT))
        return;
    allot__object_read(doc, number, &application_shape, values);
    allot__protection_take(doc, values, &protection);
    int status = allot_plan_application(reader->plan, allot__doc_key(doc, number), &protection,
                                        allot__run_limit_take(doc, &values[RUNLIMIT]));
    allot__doc_named(doc, status, allot__at_key(number), "the application ", ALLOT__LABEL_RULE);
}

void allot__terms_read(allot__plan_reader *reader)
{
    const allot__value *top = &reader->top[ALLOT__PLAN_APPLICATIONS];
    allot__doc *doc = &reader->doc;
    read_params(reader);
    for (uint32_t it = allot__value_in(doc, top); it; it = allot__doc_after(doc, top->number, it))
        read_application(reader, it);
}
