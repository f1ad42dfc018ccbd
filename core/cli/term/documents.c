/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* documents.c: plan, state and policies, of files or a service, opened for a verb and closed after
 * it. */
#include "cli/term/client.h"

#include <stdlib.h>
#include <string.h>

/* ---- The policy that stands in --------------------------------------------------------------- */

enum { OPTIONS_MOST = 32 };

typedef struct given {
    allot_use_option options[OPTIONS_MOST];
    int32_t count;
    allot__text text; /* the text that the options point into */
} given;

static void read_value(allot_use_option *option, const char *value)
{
    char *end;
    long long number = value ? strtoll(value, &end, 10) : 0;
    option->mine = 1;
    if (!value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        option->type = ALLOT_JSON_BOOLEAN;
        option->integer = !value || *value == 't';
    } else if (*value != '\0' && *end == '\0') {
        option->type = ALLOT_JSON_INTEGER;
        option->integer = number;
    } else {
        option->type = ALLOT_JSON_STRING;
        option->string = value;
    }
}

/* The last value of an option replaces earlier ones. */
static void put_last(given *it, const allot_use_option *last)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < it->count; i++)
        if (strcmp(it->options[i].name, last->name) != 0)
            it->options[kept++] = it->options[i];
    it->options[kept++] = *last;
    it->count = kept;
}

/* The plan's own options, and "a=1,b,c=word" behind them. */
static int take_options(const allot__documents *docs, const allot_use_option *options,
                        int32_t count, given *out)
{
    char *save = NULL;
    for (int32_t i = 0; i < count && out->count < OPTIONS_MOST / 2; i++)
        out->options[out->count++] = options[i];
    if (!docs->source.options)
        return ALLOT_OK;
    allot__text_add(&out->text, docs->source.options, strlen(docs->source.options) + 1);
    if (out->text.failed)
        return ALLOT_ENOMEM;
    for (char *word = strtok_r(out->text.bytes, ",", &save); word && out->count < OPTIONS_MOST;
         word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');
        allot_use_option option = {.name = word};
        if (value)
            *value++ = '\0';
        read_value(&option, value);
        put_last(out, &option);
    }
    return ALLOT_OK;
}

/* Where an option stands in "policy:a=1,b": the last, which counts. Returns its length; 0: nowhere.
 */
static size_t find_option(const char *text, size_t at, const char *name, size_t *found)
{
    size_t length = 0;
    while (text[at] != '\0') {
        size_t len = strcspn(text + at, ","), word = strcspn(text + at, ",=");
        if (word == strlen(name) && memcmp(text + at, name, word) == 0) {
            *found = at;
            length = len;
        }
        at += len + (text[at + len] == ',');
    }
    return length;
}

/* Findings about options that were given behind the policy's name: their place is there. */
static void place_findings(const allot__documents *docs, allot_report *report, int32_t first)
{
    allot__text given = {.engine = docs->cli->engine};
    size_t from = strlen(docs->source.policy) + 1, at = 0;
    allot__text_printf(&given, "%s:%s", docs->source.policy, docs->source.options);
    for (int32_t i = first; i < allot_report_count(report) && !given.failed; i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        size_t len = finding->path ? find_option(given.bytes, from, finding->path, &at) : 0;
        if (len > 0 && !finding->file)
            allot_report_place(report, i, "--policy", 1, (int32_t)at + 1, (int32_t)len, NULL,
                               given.bytes);
    }
    allot__text_free(&given);
}

/* A file of the command line is relative to the current directory, not to the plan. */
static int load_file(const allot__documents *docs, const char *path, const given *given,
                     allot_policy **out, allot_report *report)
{
    allot__text text = {0};
    allot_script_limits limits;
    int status = ALLOT_EIO;
    allot__cli_trace(docs->cli, &limits);
    if (allot__cli_read(docs->cli, path, &text) == CLI_DONE)
        status = allot_script_load(docs->cli->engine, text.bytes, text.len, path, given->options,
                                   given->count, &limits, report, out);
    allot__text_free(&text);
    return status;
}

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    allot__documents *docs = ud;
    const allot_policy_loader *files = &docs->loader;
    given given = {.text = {.engine = engine}};
    int status = ALLOT_ENOENT;
    if (use != docs->source.policy && docs->source.live)
        status = allot__remote_load(docs->source.live, use, plan_file, options, count, out, report);
    if (status != ALLOT_ENOENT)
        return status;
    if (use != docs->source.policy)
        return files->load(files->ud, engine, use, plan_file, options, count, out, report);
    int32_t before = report ? allot_report_count(report) : 0;
    status = take_options(docs, options, count, &given);
    if (status == ALLOT_OK && allot__cli_ends_in(use, ".lua"))
        status = load_file(docs, use, &given, out, report);
    else if (status == ALLOT_OK)
        status =
            files->load(files->ud, engine, use, plan_file, given.options, given.count, out, report);
    allot__text_free(&given.text);
    if (report && docs->source.options)
        place_findings(docs, report, before);
    return status;
}

static int zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report)
{
    const allot_policy_loader *files = &((const allot__documents *)ud)->loader;
    return files->zone(files->ud, engine, name, data, len, report);
}

int allot__cli_check_policy(allot__cli *cli, const char *name)
{
    allot_policy_loader files;
    allot_policy *none = NULL;
    if (allot__cli_ends_in(name, ".lua") || allot_ready_policy_text(name, NULL))
        return CLI_DONE;
    int status = allot_script_loader_new(cli->engine, NULL, &files);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    files.load(files.ud, cli->engine, name, NULL, NULL, 0, &none, cli->report);
    allot_script_loader_free(cli->engine, &files);
    return CLI_INVALID;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the plan from its text, with the newcomers that the command's report lists. */
static int read_plan(allot__documents *docs, allot_report *report, allot_plan **out)
{
    allot__cli *cli = docs->cli;
    const allot__source *source = &docs->source;
    const allot__remote *live = source->live;
    const allot__text *document = live ? &live->plan : &docs->text;
    allot_policy_loader loader = {.ud = docs,
                                  .load = load,
                                  .zone = zone,
                                  .instead = source->policy                  ? source->policy
                                             : live && live->instead.len > 0 ? live->instead.bytes
                                                                             : NULL};
    loader.newcomers = allot_report_newcomers(cli->report, &loader.newcomer_count);
    return allot__cli_status(cli, allot_plan_read(cli->engine, document->bytes, document->len,
                                                  allot__cli_file_name(source->file), &loader,
                                                  report, out));
}

int allot__cli_open_plan(allot__cli *cli, const allot__source *source, allot__documents *docs)
{
    *docs = (allot__documents){.cli = cli, .source = *source, .text = {.engine = cli->engine}};
    allot_script_limits limits;
    allot__cli_trace(cli, &limits);
    int code = allot__cli_status(cli, allot_script_loader_new(cli->engine, &limits, &docs->loader));
    if (code == CLI_DONE && !source->live)
        code = allot__cli_read(cli, source->file, &docs->text);
    return code == CLI_DONE ? read_plan(docs, cli->report, &docs->plan) : code;
}

int allot__cli_grow(allot__documents *docs)
{
    allot_plan *grown;
    int code = read_plan(docs, NULL, &grown); /* findings were reported before */
    if (code != CLI_DONE)
        return code;
    allot_plan_free(docs->plan);
    docs->plan = grown;
    return code;
}

/* The time given behind `word`: "--at ", or "@". */
static int find_time(allot__cli *cli, const allot__documents *docs, const char *word,
                     const char *at, int64_t *out)
{
    char from[40];
    allot_time_text(docs->from, from, sizeof from);
    if (strcmp(at, "next") == 0) {
        int status = allot_plan_switch(docs->plan, docs->from, out);
        if (status == ALLOT_ENOENT)
            return allot__cli_fail(cli, CLI_USAGE, "E-at", NULL,
                                   "no window of the plan begins or ends after %s", from);
        return allot__cli_status(cli, status);
    }
    if (allot_time_read(at, out) != ALLOT_OK)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "%sTIME is \"next\", Unix seconds or a time like "
                               "2026-01-31T08:00:00+01:00, not \"%.100s\"",
                               word, at);
    if (*out < docs->from)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "%s%.40s is before %s, the time of the state", word, at, from);
    return CLI_DONE;
}

/* Moves the state to another time; its own time becomes that of the cycle before. */
static int turn(allot__cli *cli, allot__documents *docs, const char *word, const char *at)
{
    int64_t when;
    int code = find_time(cli, docs, word, at, &when);
    if (code != CLI_DONE)
        return code;
    int status = allot_state_open(docs->state);
    if (status == ALLOT_OK)
        status = allot_state_now(docs->state, when);
    if (status == ALLOT_OK && when > docs->from)
        status = allot_state_last(docs->state, docs->from);
    if (status == ALLOT_OK)
        status = allot_state_seal(docs->state, NULL); /* findings were reported before */
    return allot__cli_status(cli, status);
}

int allot__cli_decide_text(allot__cli *cli, const allot__text *text, const char *path,
                           const char *word, const char *at, allot__documents *docs)
{
    const char *file = allot__cli_file_name(path);
    int code = CLI_DONE, status = allot_state_read(docs->plan, text->bytes, text->len, file,
                                                   cli->report, &docs->state);
    if (status == ALLOT_ENOENT) {
        code = allot__cli_grow(docs);
        if (code == CLI_DONE)
            status = allot_state_read(docs->plan, text->bytes, text->len, file, cli->report,
                                      &docs->state);
    }
    if (code == CLI_DONE)
        code = allot__cli_status(cli, status);
    if (code == CLI_DONE) {
        docs->from = allot_state_now_get(docs->state);
        code = at ? turn(cli, docs, word, at) : CLI_DONE;
    }
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_cycle(docs->plan, docs->state, cli->report, &docs->decision));
    return code;
}

static int decide_file(allot__cli *cli, const char *plan, const char *state, allot__documents *docs)
{
    allot__text text = {0};
    int code = allot__cli_open_plan(cli, &(allot__source){.file = plan}, docs);
    if (code == CLI_DONE)
        code = allot__cli_read(cli, state, &text);
    if (code == CLI_DONE)
        code = allot__cli_decide_text(cli, &text, state, "--at ", cli->options.at, docs);
    allot__text_free(&text);
    return code;
}

int allot__cli_decide(allot__cli *cli, const char *plan, const char *state, allot__documents *docs)
{
    allot__remote live;
    *docs = (allot__documents){.cli = cli};
    if (!allot__cli_is_live(cli))
        return decide_file(cli, plan, state, docs);
    int code = allot__remote_open(cli, &live);
    const allot__source source = {.file = plan ? plan : live.file.bytes,
                                  .live = plan ? NULL : &live};
    if (code == CLI_DONE)
        code = allot__cli_open_plan(cli, &source, docs);
    if (code == CLI_DONE)
        code =
            allot__cli_decide_text(cli, &live.state, live.address, "--at ", cli->options.at, docs);
    allot__remote_close(&live);
    return code;
}

void allot__cli_forget(allot__documents *docs)
{
    allot_decision_free(docs->decision);
    allot_state_free(docs->state);
    docs->decision = NULL;
    docs->state = NULL;
}

void allot__cli_close(allot__cli *cli, allot__documents *docs)
{
    allot__cli_forget(docs);
    allot_plan_free(docs->plan);
    allot__text_free(&docs->text);
    if (docs->loader.load)
        allot_script_loader_free(cli->engine, &docs->loader);
    allot__cli_trace_end(cli);
}

int allot__cli_map(allot__cli *cli, allot_script_map **out)
{
    const char *path = cli->options.map;
    allot__text text = {0};
    allot_script_limits limits;
    if (!path)
        return CLI_DONE;
    allot__cli_trace(cli, &limits);
    int code = allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_script_map_new(cli->engine, text.bytes, text.len, path,
                                                           &limits, cli->report, out));
    allot__text_free(&text);
    return code;
}
