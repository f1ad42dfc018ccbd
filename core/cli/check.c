/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* check.c: the verb `check`: are these plans and policies valid? Every fault of every file. */
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

static bool is_policy(const char *path)
{
    size_t len = strlen(path);
    return len > 4 && strcmp(path + len - 4, ".lua") == 0;
}

/* What a plan has of a kind, in the document by its key. */
static void put_count(allot__cli *cli, const char *what, int32_t count)
{
    if (cli->options.json)
        allot__cli_printf(&cli->out, ", \"%ss\": %" PRId32, what, count);
    else
        allot__cli_printf(&cli->out, ", %" PRId32 " %s%s", count, what, count == 1 ? "" : "s");
}

/* Queues are consumers too, and are told of by themselves; contracts where there are any. */
static void put_counts(allot__cli *cli, const allot_plan *plan)
{
    int32_t queues = allot_plan_queues(plan), leases = allot_plan_leases(plan);
    if (plan == NULL)
        return;
    if (cli->options.json || queues + leases == 0)
        put_count(cli, "consumer", allot_plan_consumers(plan));
    if (queues > 0)
        put_count(cli, "queue", queues);
    if (leases > 0)
        put_count(cli, "lease", leases);
}

static void put_file(allot__cli *cli, const char *path, const char *kind, const allot_plan *plan)
{
    allot__text *out = &cli->out;
    const char *file = allot__cli_file_name(path);
    if (cli->options.json) {
        allot__cli_puts(out, out->len == 0 ? "" : ", ");
        allot__cli_puts(out, "{\"file\": ");
        allot__cli_json_string(out, file);
        allot__cli_printf(out, ", \"kind\": \"%s\"", kind);
        put_counts(cli, plan);
        allot__cli_puts(out, "}");
        return;
    }
    allot__cli_puts_safe(out, file, strlen(file));
    allot__cli_printf(out, ": %s is valid", kind);
    put_counts(cli, plan);
    allot__cli_puts(out, "\n");
}

/* A time of its own is what every state has and no plan: was a state meant? */
static bool is_state(const allot_report *report, int32_t first)
{
    for (int32_t i = first; i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (strcmp(finding->code, "E-unknown-key") == 0 && finding->path != NULL &&
            strcmp(finding->path, "now") == 0)
            return true;
    }
    return false;
}

static void tell_state(allot__cli *cli, const char *path)
{
    allot_diagnostic finding = {
        .severity = ALLOT_ERROR,
        .code = "E-not-a-plan",
        .file = allot__cli_file_name(path),
        .message = "this looks like a state",
        .hint = "check reads plans and policies; run and explain read a state, behind its plan",
        .consumer = -1,
        .group = -1,
        .field = -1,
    };
    allot_report_add(cli->report, &finding);
}

static int check_file(allot__cli *cli, const char *path)
{
    if (is_policy(path)) {
        int code = allot__cli_try_policy(cli, path);
        if (code == CLI_DONE)
            put_file(cli, path, "policy", NULL);
        return code;
    }
    allot__documents docs;
    int32_t before = allot_report_count(cli->report);
    int code = allot__cli_open_plan(cli, path, &docs);
    if (code == CLI_DONE)
        put_file(cli, path, "plan", docs.plan);
    if (code == CLI_INVALID && is_state(cli->report, before))
        tell_state(cli, path);
    allot__cli_close(cli, &docs);
    return code;
}

/* The result's list of files is ready in `out`; the rest is put around it. */
static void put_document(allot__cli *cli)
{
    allot__text files = cli->out;
    cli->out = (allot__text){.engine = cli->engine};
    allot__cli_puts(&cli->out, "{\"schema\": \"allot/check/v1\", \"checked\": [");
    allot__cli_add(&cli->out, files.bytes, files.len);
    allot__cli_puts(&cli->out, "], \"warnings\": ");
    allot__cli_warnings_json(cli->report, &cli->out);
    allot__cli_puts(&cli->out, "}\n");
    cli->out.failed |= files.failed;
    allot__cli_text_free(&files);
}

int allot__cli_check(allot__cli *cli)
{
    if (cli->operand_count == 0)
        return allot__cli_fail(cli, CLI_INVALID, "E-nothing", "name a plan or a policy",
                               "nothing was checked");
    int worst = CLI_DONE;
    for (int i = 0; i < cli->operand_count; i++) {
        int code = check_file(cli, cli->operands[i]);
        if (code > worst)
            worst = code;
    }
    if (worst == CLI_DONE && cli->options.json)
        put_document(cli);
    return worst;
}
