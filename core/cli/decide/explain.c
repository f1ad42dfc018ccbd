/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: the verb `explain`: why a consumer gets its slots, why a task goes, why a job waits or
 * goes, and what a contract does. */
#include "cli/term/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct teller {
    allot__text *out;
    bool json;
    int lines;
} teller;

static void tell(void *ud, const char *line)
{
    teller *to = ud;
    if (to->json) {
        allot__text_puts(to->out, to->lines++ == 0 ? "" : ", ");
        allot__text_json(to->out, line);
    } else {
        allot__text_printf(to->out, "%s\n", line);
    }
}

static int find_consumer(allot__cli *cli, const allot_plan *plan, const char *path, int32_t *out)
{
    *out = allot_plan_find(plan, path, strlen(path));
    if (*out != ALLOT_ROOT)
        return CLI_DONE;
    char near[1024], hint[1100];
    bool any = allot_plan_nearest(plan, path, strlen(path), near, sizeof near) != 0;
    if (any)
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    return allot__cli_fail(cli, CLI_USAGE, "E-unknown-consumer", any ? hint : NULL,
                           "the plan has no consumer %.200s", path);
}

static int find_group(allot__cli *cli, const allot_plan *plan, int32_t *out)
{
    const char *name = cli->options.group;
    *out = ALLOT_ALL;
    if (!name)
        return CLI_DONE;
    *out = allot_plan_group_find(plan, name, strlen(name));
    if (*out >= 0)
        return CLI_DONE;
    char hint[512] = "its groups:";
    for (int32_t i = 0; i < allot_plan_groups(plan); i++) {
        size_t len = strlen(hint);
        snprintf(hint + len, sizeof hint - len, " %s", allot_plan_group_name(plan, i));
    }
    return allot__cli_fail(cli, CLI_USAGE, "E-unknown-group", hint, "the plan has no group %.200s",
                           name);
}

static int explain_group(allot__cli *cli, const allot_decision *decision, int32_t group,
                         int32_t consumer, bool first)
{
    const allot_plan *plan = allot_decision_plan(decision);
    const char *name = allot_plan_group_name(plan, group);
    teller to = {&cli->out, cli->options.json, 0};
    if (to.json) {
        allot__text_puts(to.out, first ? "{\"group\": " : ", {\"group\": ");
        allot__text_json(to.out, name);
        allot__text_puts(to.out, ", \"lines\": [");
    } else if (allot_plan_groups(plan) > 1) {
        allot__text_printf(to.out, "%sIn group %s:\n", first ? "" : "\n", name);
    }
    int status = allot_explain(decision, group, consumer, tell, &to);
    if (to.json)
        allot__text_puts(to.out, "]}");
    return allot__cli_status(cli, status);
}

static int explain(allot__cli *cli, const allot_decision *decision, const char *path)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t consumer, chosen;
    int code = find_consumer(cli, plan, path, &consumer);
    if (code == CLI_DONE)
        code = find_group(cli, plan, &chosen);
    if (code != CLI_DONE)
        return code;
    if (cli->options.json) {
        allot__text_puts(&cli->out, "{\"schema\": \"allot/explain/v1\", \"path\": ");
        allot__text_json(&cli->out, path);
        allot__text_puts(&cli->out, ", \"groups\": [");
    }
    bool first = true;
    for (int32_t i = 0; i < allot_plan_groups(plan) && code == CLI_DONE; i++) {
        if (chosen != ALLOT_ALL && chosen != i)
            continue;
        code = explain_group(cli, decision, i, consumer, first);
        first = false;
    }
    if (cli->options.json) {
        allot__text_puts(&cli->out, "], \"warnings\": ");
        allot__cli_warnings_json(cli->report, &cli->out);
        allot__text_puts(&cli->out, "}\n");
    }
    return code;
}

/* Things that an operand other than a path may name. */
typedef struct named {
    const char *what; /* "job", "lease", "task" */
    int32_t lease;    /* its number, or -1 */
} named;

/* Jobs before contracts of the same name. */
static named find_named(const allot_decision *decision, const char *id)
{
    const allot_plan *plan = allot_decision_plan(decision);
    bool queues = allot_plan_queues(plan) > 0;
    bool job = queues && allot_state_job_find(allot_decision_state(decision), id) >= 0;
    int32_t lease = job ? -1 : allot_plan_lease_find(plan, id);
    return (named){lease >= 0 ? "lease" : queues ? "job" : "task", lease};
}

/* The path of the first consumer of that name; false: there is none. */
static bool find_path(const allot_plan *plan, const char *name, char *path, size_t size)
{
    for (int32_t i = 0; i < allot_plan_consumers(plan); i++)
        if (strcmp(allot_plan_name(plan, i), name) == 0)
            return allot_plan_path(plan, i, path, size) > 0;
    return false;
}

static int fail_named(allot__cli *cli, const allot_decision *decision, const named *it,
                      const char *id)
{
    const allot_plan *plan = allot_decision_plan(decision);
    bool leases = allot_plan_leases(plan) > 0, job = strcmp(it->what, "job") == 0;
    const char *near = allot_state_task_nearest(allot_decision_state(decision), id);
    char hint[200], path[160];
    if (find_path(plan, id, path, sizeof path))
        near = path;
    if (near)
        snprintf(hint, sizeof hint, "did you mean %.160s?", near);
    else
        snprintf(hint, sizeof hint, "a %s's path begins with /", job ? "queue" : "consumer");
    return allot__cli_fail(cli, CLI_USAGE, job ? "E-unknown-job" : "E-unknown-task", hint,
                           "the state has no %s %.200s%s", it->what, id,
                           leases ? ", and the plan has no lease of that name" : "");
}

/* A task's part, a job's, or a contract's. */
static int explain_named(allot__cli *cli, const allot_decision *decision, const char *id)
{
    teller to = {&cli->out, cli->options.json, 0};
    named it = find_named(decision, id);
    if (to.json) {
        allot__text_printf(to.out, "{\"schema\": \"allot/explain/v1\", \"%s\": ", it.what);
        allot__text_json(to.out, id);
        allot__text_puts(to.out, ", \"lines\": [");
    }
    int status;
    if (it.lease >= 0)
        status = allot_explain_lease(decision, it.lease, tell, &to);
    else if (strcmp(it.what, "job") == 0)
        status = allot_explain_job(decision, id, tell, &to);
    else
        status = allot_explain_task(decision, id, tell, &to);
    if (status == ALLOT_ENOENT)
        return fail_named(cli, decision, &it, id);
    if (to.json) {
        allot__text_puts(to.out, "], \"warnings\": ");
        allot__cli_warnings_json(cli->report, to.out);
        allot__text_puts(to.out, "}\n");
    }
    return allot__cli_status(cli, status);
}

/* The operands; NULL: not given. */
typedef struct words {
    const char *plan, *state, *what;
} words;

static bool ends_in_json(const char *word)
{
    size_t len = strlen(word);
    return len > 5 && strcmp(word + len - 5, ".json") == 0;
}

/* Beside a service a single operand is a plan if it ends in .json. */
static words find_words(const allot__cli *cli)
{
    char **at = cli->operands, **end = at + cli->operand_count;
    words it = {0};
    if (!allot__cli_is_live(cli)) {
        it.plan = *at++;
        it.state = *at++;
    } else if (end - at == 2 || (end - at == 1 && ends_in_json(*at))) {
        it.plan = *at++;
    }
    it.what = at < end ? *at : NULL;
    return it;
}

int allot__cli_explain(allot__cli *cli)
{
    allot__documents docs;
    words it = find_words(cli);
    if (!it.what && !cli->options.at)
        return allot__cli_fail(
            cli, CLI_USAGE, "E-usage", "--at next explains the next switch of windows",
            "usage: allot explain %s PATH|TASK|JOB|LEASE, or --at TIME in its place",
            it.state ? "PLAN STATE" : "--socket ADDRESS [PLAN]");
    int code = allot__cli_decide(cli, it.plan, it.state, &docs);
    if (code == CLI_DONE && !it.what)
        code = allot__cli_preview(cli, &docs);
    else if (code == CLI_DONE)
        code = it.what[0] == '/' ? explain(cli, docs.decision, it.what)
                                 : explain_named(cli, docs.decision, it.what);
    allot__cli_close(cli, &docs);
    return code;
}
