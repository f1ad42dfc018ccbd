/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* remote.c: plan and state of a running service, in place of files. */
#include "cli/term/remote.h"

#include <string.h>

/* ---- The answer ------------------------------------------------------------------------------ */

/* The next policy, empty; NULL: out of memory. */
static allot__remote_policy *add_policy(allot__remote *live)
{
    allot_engine *engine = live->client.cli->engine;
    size_t size = sizeof *live->policies, room = live->room * 2 + 8;
    if (live->count == live->room) {
        allot__remote_policy *more =
            allot_engine_alloc(engine, live->policies, live->room * size, room * size);
        if (!more)
            return NULL;
        live->policies = more;
        live->room = room;
    }
    allot__remote_policy *it = &live->policies[live->count++];
    *it = (allot__remote_policy){.name.engine = engine, .text.engine = engine};
    return it;
}

/* {name: text}, behind its brace. */
static int read_policies(allot__remote *live, allot_json *json)
{
    allot_json_event event;
    while (allot_json_next(json, &event) && event.kind == ALLOT_JSON_KEY) {
        allot__remote_policy *it = add_policy(live);
        if (!it)
            return ALLOT_ENOMEM;
        allot__text_add(&it->name, event.text, event.len);
        allot_json_next(json, &event);
        if (event.kind == ALLOT_JSON_TEXT)
            allot__text_add(&it->text, event.text, event.len);
        if (it->name.failed || it->text.failed)
            return ALLOT_ENOMEM;
    }
    return ALLOT_OK;
}

static int read_members(allot__remote *live, allot_json *json)
{
    allot_json_event event;
    int status = ALLOT_OK;
    while (status == ALLOT_OK && allot_json_next(json, &event) && event.kind == ALLOT_JSON_KEY) {
        allot__text *to = strcmp(event.text, "file") == 0      ? &live->file
                          : strcmp(event.text, "text") == 0    ? &live->plan
                          : strcmp(event.text, "instead") == 0 ? &live->instead
                                                               : NULL;
        allot_json_next(json, &event);
        if (event.kind == ALLOT_JSON_OBJECT)
            status = read_policies(live, json);
        else if (to && event.kind == ALLOT_JSON_TEXT)
            allot__text_add(to, event.text, event.len);
    }
    return live->file.failed || live->plan.failed || live->instead.failed ? ALLOT_ENOMEM : status;
}

static int read_plan(allot__remote *live, const char *text, size_t len)
{
    allot__cli *cli = live->client.cli;
    allot_json *json;
    allot_json_event event;
    int status = allot_json_open(cli->engine, text, len, live->address, 1, 0, cli->report, &json);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    allot_json_next(json, &event);
    status = read_members(live, json);
    allot_json_close(json);
    return allot__cli_status(cli, status);
}

/* A missing member reads as an empty document, and so fails. */
static int read_answer(allot__remote *live)
{
    size_t len;
    const char *plan = allot__client_member(live->answer, live->answer_len, "plan", &len);
    const char *state =
        allot__client_member(live->answer, live->answer_len, "state", &live->state.len);
    live->state.bytes = (char *)(state ? state : "");
    live->state.len = state ? live->state.len : 0;
    return plan ? read_plan(live, plan, len) : CLI_DONE;
}

/* ---- Its life -------------------------------------------------------------------------------- */

int allot__remote_open(allot__cli *cli, allot__remote *out)
{
    *out = (allot__remote){.address = cli->options.socket};
    out->file.engine = out->plan.engine = out->instead.engine = cli->engine;
    allot__cli_trace(cli, &out->limits);
    int code = allot__client_state(cli, &out->client, &out->answer, &out->answer_len);
    return code == CLI_DONE ? read_answer(out) : code;
}

void allot__remote_close(allot__remote *live)
{
    allot_engine *engine = live->client.cli->engine;
    for (size_t i = 0; i < live->count; i++) {
        allot__text_free(&live->policies[i].name);
        allot__text_free(&live->policies[i].text);
    }
    if (live->policies)
        allot_engine_alloc(engine, live->policies, live->room * sizeof *live->policies, 0);
    allot__text_free(&live->file);
    allot__text_free(&live->plan);
    allot__text_free(&live->instead);
    allot__client_close(&live->client);
}

/* ---- Its policies ---------------------------------------------------------------------------- */

/* A policy's file has the name that it has in the service: seen from the plan's folder. */
static void join(allot__text *out, const char *plan_file, const char *use)
{
    bool file = strchr(use, '/') || (strlen(use) > 4 && strcmp(use + strlen(use) - 4, ".lua") == 0);
    const char *slash = file && plan_file && use[0] != '/' ? strrchr(plan_file, '/') : NULL;
    if (slash)
        allot__text_add(out, plan_file, (size_t)(slash - plan_file) + 1);
    allot__text_puts(out, use);
}

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    const allot__remote *live = ud;
    const allot__remote_policy *found = NULL;
    for (size_t i = 0; i < live->count && !found; i++)
        if (strcmp(live->policies[i].name.bytes, use) == 0)
            found = &live->policies[i];
    if (!found)
        return live->files.load(live->files.ud, engine, use, plan_file, options, count, out,
                                report);
    allot__text name = {.engine = engine};
    join(&name, plan_file, use);
    int status = name.failed
                     ? ALLOT_ENOMEM
                     : allot_script_load(engine, found->text.bytes, found->text.len, name.bytes,
                                         options, count, &live->limits, report, out);
    allot__text_free(&name);
    return status;
}

static int zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report)
{
    const allot__remote *live = ud;
    return live->files.zone(live->files.ud, engine, name, data, len, report);
}

allot_policy_loader allot__remote_loader(allot__remote *live, const allot_policy_loader *files)
{
    live->files = *files;
    return (allot_policy_loader){.ud = live,
                                 .load = load,
                                 .zone = zone,
                                 .instead = live->instead.len > 0 ? live->instead.bytes : NULL};
}

/* ---- A cycle --------------------------------------------------------------------------------- */

static int open_plan(allot__cli *cli, allot__remote *live, allot__documents *docs)
{
    int status = allot_script_loader_new(cli->engine, &live->limits, &docs->loader);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    const allot_policy_loader loader = allot__remote_loader(live, &docs->loader);
    status = allot_plan_read(cli->engine, live->plan.bytes, live->plan.len, live->file.bytes,
                             &loader, cli->report, &docs->plan);
    return allot__cli_status(cli, status);
}

int allot__remote_decide(allot__cli *cli, const char *plan, allot__documents *docs)
{
    allot__remote live;
    *docs = (allot__documents){0};
    int code = allot__remote_open(cli, &live);
    if (code == CLI_DONE)
        code = plan ? allot__cli_open_plan(cli, plan, docs) : open_plan(cli, &live, docs);
    if (code == CLI_DONE)
        code =
            allot__cli_decide_text(cli, &live.state, live.address, "--at ", cli->options.at, docs);
    allot__remote_close(&live);
    return code;
}
