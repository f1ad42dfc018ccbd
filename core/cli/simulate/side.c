/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* side.c: simulations side by side, each in a process that sends its findings and its result. */
#include "cli/simulate/simulate.h"
#include "cli/term/workers.h"

#include <string.h>

/* ---- What a worker sends of a run ------------------------------------------------------------ */

/* Behind it: the findings, each with its texts, and the result. */
typedef struct sent {
    int32_t run, findings;
    int code;
    bool interrupted;
    size_t result; /* bytes */
} sent;

static const size_t texts[] = {
    offsetof(allot_diagnostic, code), offsetof(allot_diagnostic, file),
    offsetof(allot_diagnostic, path), offsetof(allot_diagnostic, message),
    offsetof(allot_diagnostic, hint), offsetof(allot_diagnostic, source),
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char **text_of(allot_diagnostic *finding, int i)
{
    return (const char **)(void *)((char *)finding + texts[i]);
}

static void send_run(const allot__workers *workers, allot__sim *sim, const sent *head)
{
    allot__text out = {.engine = sim->cli->engine};
    const allot_report *report = sim->cli->report;
    allot__text_add(&out, (const char *)head, sizeof *head);
    for (int32_t k = 0; k < head->findings; k++) {
        allot_diagnostic finding = *allot_report_at(report, k);
        allot__text_add(&out, (const char *)&finding, sizeof finding);
        for (int i = 0; i < TEXTS; i++)
            if (*text_of(&finding, i))
                allot__text_add(&out, *text_of(&finding, i), strlen(*text_of(&finding, i)) + 1);
    }
    allot__text_add(&out, sim->runs[head->run].result.bytes, head->result);
    if (!out.failed)
        allot__workers_send(workers, out.bytes, out.len);
    allot__text_free(&out);
}

/* Adds a run's findings to the report; the place behind them. */
static const char *take_findings(allot__sim *sim, const char *at, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        allot_diagnostic finding;
        memcpy(&finding, at, sizeof finding);
        at += sizeof finding;
        for (int i = 0; i < TEXTS; i++)
            if (*text_of(&finding, i)) {
                *text_of(&finding, i) = at;
                at += strlen(at) + 1;
            }
        allot_report_add(sim->cli->report, &finding);
    }
    return at;
}

/* ---- Workers --------------------------------------------------------------------------------- */

/* Plays every n-th run. */
static _Noreturn void work(const allot__workers *workers, allot__sim *sim)
{
    int code = CLI_DONE;
    sim->quiet = workers->self > 0;
    for (int32_t i = workers->self; i < sim->count && code == CLI_DONE && !sim->interrupted;
         i += workers->count) {
        allot__sim_run *run = &sim->runs[i];
        allot_report_clear(sim->cli->report);
        code = allot__sim_play(sim, run);
        send_run(workers, sim,
                 &(sent){i, allot_report_count(sim->cli->report), code, sim->interrupted,
                         code == CLI_DONE ? run->result.len : 0});
        allot_simulation_free(run->simulation);
        run->simulation = NULL;
    }
    allot__workers_leave();
}

/* ---- The first process ----------------------------------------------------------------------- */

/* Takes what workers sent of the runs, in their order, as far as it has come: each run has its own
 * in place of its result. */
static int take_runs(allot__sim *sim)
{
    int code = CLI_DONE;
    while (code == CLI_DONE && sim->played < sim->count && sim->runs[sim->played].result.len > 0) {
        allot__text *text = &sim->runs[sim->played++].result;
        sent head;
        memcpy(&head, text->bytes, sizeof head);
        const char *result = take_findings(sim, text->bytes + sizeof head, head.findings);
        memmove(text->bytes, result, head.result);
        text->len = head.result;
        sim->interrupted = sim->interrupted || head.interrupted;
        code = head.code;
    }
    return code;
}

static int gather(allot__sim *sim, allot__workers *workers)
{
    int code = CLI_DONE;
    for (bool more = true; code == CLI_DONE && more;) {
        allot__text text = {.engine = sim->cli->engine};
        sent head;
        code = allot__workers_hear(workers, sim->cli, &text);
        more = code == CLI_DONE && text.len > 0;
        if (more) {
            memcpy(&head, text.bytes, sizeof head);
            sim->runs[head.run].result = text;
            code = take_runs(sim);
        } else {
            allot__text_free(&text);
        }
    }
    allot__workers_stop(workers);
    return code;
}

int allot__sim_play_all(allot__sim *sim)
{
    allot__workers workers = {.caught = allot__sim_catch()};
    bool apart = !sim->plot && !sim->cli->options.trace;
    int code = CLI_DONE;
    allot__workers_start(&workers, sim->cli, apart ? sim->count : 1);
    if (workers.self >= 0)
        work(&workers, sim);
    if (workers.count > 0)
        return gather(sim, &workers);
    while (code == CLI_DONE && sim->played < sim->count && !sim->interrupted)
        code = allot__sim_play(sim, &sim->runs[sim->played++]);
    return code;
}
