/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* documents.c: plan, state and policy files, opened for a verb and closed after it. */
#include "cli/cli.h"

static int read_plan(allot__cli *cli, const char *path, allot__documents *docs)
{
    allot__text text = {0};
    int code = allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_plan_read(cli->engine, text.bytes, text.len,
                                                      allot__cli_file_name(path), &docs->loader,
                                                      cli->report, &docs->plan));
    allot__cli_text_free(&text);
    return code;
}

static int read_state(allot__cli *cli, const char *path, allot__documents *docs)
{
    allot__text text = {0};
    int code = allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_state_read(docs->plan, text.bytes, text.len,
                                                       allot__cli_file_name(path), cli->report,
                                                       &docs->state));
    allot__cli_text_free(&text);
    return code;
}

int allot__cli_open_plan(allot__cli *cli, const char *path, allot__documents *docs)
{
    *docs = (allot__documents){0};
    int status = allot_script_loader_new(cli->engine, NULL, &docs->loader);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    return read_plan(cli, path, docs);
}

int allot__cli_decide(allot__cli *cli, const char *plan, const char *state, allot__documents *docs)
{
    int code = allot__cli_open_plan(cli, plan, docs);
    if (code == CLI_DONE)
        code = read_state(cli, state, docs);
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_cycle(docs->plan, docs->state, cli->report, &docs->decision));
    return code;
}

void allot__cli_close(allot__cli *cli, allot__documents *docs)
{
    allot_decision_free(docs->decision);
    allot_state_free(docs->state);
    allot_plan_free(docs->plan);
    if (docs->loader.load != NULL)
        allot_script_loader_free(cli->engine, &docs->loader);
}

int allot__cli_try_policy(allot__cli *cli, const char *path)
{
    allot__text text = {0};
    allot_policy *policy = NULL;
    int code = allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_script_load(cli->engine, text.bytes, text.len, path,
                                                        NULL, 0, NULL, cli->report, &policy));
    allot_policy_free(policy);
    allot__cli_text_free(&text);
    return code;
}
