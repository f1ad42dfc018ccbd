/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* remote.c: plan and state of a running service, in place of files. */
#include "cli/term/remote.h"

#include <string.h>

/* A missing member reads as an empty document, and so fails. */
static int read_answer(allot__remote *live)
{
    size_t len;
    const char *plan = allot__client_member(live->answer, live->answer_len, "plan", &len);
    const char *state =
        allot__client_member(live->answer, live->answer_len, "state", &live->state.len);
    live->state.bytes = (char *)(state ? state : "");
    live->state.len = state ? live->state.len : 0;
    if (!plan)
        return CLI_DONE;
    allot__client_text(&live->client, plan, len, "file", &live->file);
    allot__client_text(&live->client, plan, len, "text", &live->plan);
    allot__client_text(&live->client, plan, len, "instead", &live->instead);
    bool failed = live->file.failed || live->plan.failed || live->instead.failed;
    return allot__cli_status(live->client.cli, failed ? ALLOT_ENOMEM : ALLOT_OK);
}

int allot__remote_open(allot__cli *cli, allot__remote *out)
{
    *out = (allot__remote){.address = cli->options.socket};
    out->file.engine = out->plan.engine = out->instead.engine = cli->engine;
    int code = allot__client_state(cli, &out->client, &out->answer, &out->answer_len);
    return code == CLI_DONE ? read_answer(out) : code;
}

void allot__remote_close(allot__remote *live)
{
    allot__text_free(&live->file);
    allot__text_free(&live->plan);
    allot__text_free(&live->instead);
    allot__client_close(&live->client);
}

/* A policy's file has its name in the service, relative to the plan's folder. */
static void join(allot__text *out, const char *plan_file, const char *use)
{
    bool file = strchr(use, '/') || (strlen(use) > 4 && strcmp(use + strlen(use) - 4, ".lua") == 0);
    const char *slash = file && plan_file && use[0] != '/' ? strrchr(plan_file, '/') : NULL;
    if (slash)
        allot__text_add(out, plan_file, (size_t)(slash - plan_file) + 1);
    allot__text_puts(out, use);
}

int allot__remote_load(allot__remote *live, const char *use, const char *plan_file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report)
{
    allot__cli *cli = live->client.cli;
    allot_engine *engine = cli->engine;
    size_t len;
    const char *plan = allot__client_member(live->answer, live->answer_len, "plan", &len);
    const char *policies = plan ? allot__client_member(plan, len, "policies", &len) : NULL;
    allot__text text = {.engine = engine}, name = text;
    allot_script_limits limits;
    int status = ALLOT_ENOENT;
    allot__cli_trace(cli, &limits);
    join(&name, plan_file, use);
    if (policies && allot__client_text(&live->client, policies, len, use, &text))
        status = text.failed || name.failed
                     ? ALLOT_ENOMEM
                     : allot_script_load(engine, text.bytes, text.len, name.bytes, options, count,
                                         &limits, report, out);
    allot__text_free(&text);
    allot__text_free(&name);
    return status;
}
