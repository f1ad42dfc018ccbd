/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* status.c: the verb `status`: what a running service says of itself, on one screen. */
#include <stdio.h>
#include <string.h>

#include "cli/serve/top.h"

#define INDENT 12
#define ROWS   12

/* ---- The report ------------------------------------------------------------------------------ */

static void put_wrapped(allot__text *out, const char *text, int wide)
{
    int column = INDENT;
    while (*text) {
        int len = (int)strcspn(text, " ");
        if (column > INDENT && column + len > wide) {
            allot__text_trim(out);
            allot__text_puts(out, "\n");
            allot__text_spaces(out, INDENT);
            column = INDENT;
        }
        len += (int)strspn(text + len, " ");
        allot__text_puts_safe(out, text, (size_t)len);
        column += len;
        text += len;
    }
    allot__text_puts(out, "\n");
}

/* A row of the report is {"name": ..., "text": ..., "trouble": ...}; a trouble is marked. */
static int put_report(allot__cli *cli, const char *result, size_t len)
{
    char key[16] = "", name[16] = "";
    allot__text text = {.engine = cli->engine};
    allot_json_event event;
    allot_json *json;
    int wide = allot__cli_width(1);
    int status = allot_json_open(cli->engine, result, len, "report", 1, 0, cli->report, &json);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    while (allot_json_next(json, &event)) {
        if (event.kind == ALLOT_JSON_KEY) {
            snprintf(key, sizeof key, "%s", event.text);
        } else if (event.kind == ALLOT_JSON_TEXT && strcmp(key, "name") == 0) {
            snprintf(name, sizeof name, "%s", event.text);
        } else if (event.kind == ALLOT_JSON_TEXT && strcmp(key, "text") == 0) {
            text.len = 0;
            allot__text_add(&text, event.text, event.len + 1);
        } else if (strcmp(key, "trouble") == 0 && event.kind <= ALLOT_JSON_FALSE && text.len > 0) {
            allot__text_printf(&cli->out, "%c %-*s", event.kind == ALLOT_JSON_TRUE ? '!' : ' ',
                               INDENT - 2, name);
            put_wrapped(&cli->out, text.bytes, wide > 40 ? wide : 80);
            text.len = 0;
        }
    }
    allot_json_close(json);
    allot__text_free(&text);
    return CLI_DONE;
}

/* ---- Consumers' slots ------------------------------------------------------------------------ */

static int put_rows(allot__cli *cli, allot__client *client, bool healthy)
{
    const char *result;
    size_t len;
    int wide = allot__cli_width(1);
    allot__top *top = allot_engine_alloc(cli->engine, NULL, 0, sizeof *top);
    if (!top)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    memset(top, 0, sizeof *top);
    *top = (allot__top){
        .cli = cli, .plain = true, .healthy = healthy, .wide = wide > 60 ? wide : 80, .seen = ROWS};
    top->root.path = (char *)"/";
    top->fancy = allot__terminal_fancy();
    int code = allot__client_ask(client, "view", "{\"most\": 12}", 12, &result, &len);
    if (code == CLI_DONE) {
        top->root.of = allot__top_read(top, result, len, top->rows, ROWS);
        allot__text_puts(&cli->out, "\n");
        allot__top_draw(top, &cli->out);
        if (top->root.of > ROWS)
            allot__text_printf(&cli->out, "and %lld more: allot top\n",
                               (long long)(top->root.of - ROWS));
    }
    allot_engine_alloc(cli->engine, top, sizeof *top, 0);
    return code;
}

int allot__cli_service_status(allot__cli *cli)
{
    allot__client client = {.fd = -1};
    const char *result, *healthy;
    size_t len, size;
    bool well = true;
    bool json = cli->options.json;
    int code = allot__client_open(cli, &client);
    if (code == CLI_DONE)
        code = allot__client_ask(&client, json ? "status" : "report", NULL, 0, &result, &len);
    if (code == CLI_DONE) {
        healthy = allot__client_member(result, len, "healthy", &size);
        well = !healthy || strncmp(healthy, "true", 4) == 0;
    }
    if (code == CLI_DONE && json) {
        allot__text_add(&cli->out, result, len);
        allot__text_puts(&cli->out, "\n");
    } else if (code == CLI_DONE) {
        code = put_report(cli, result, len);
        if (code == CLI_DONE)
            code = put_rows(cli, &client, well);
    }
    allot__client_close(&client);
    return code == CLI_DONE && !well ? CLI_NO : code;
}
