/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* status.c: the verb `status`: what a running service says of itself, on one screen. */
#include <stdio.h>
#include <string.h>

#include "cli/serve/top.h"

#define INDENT 14
#define DEEP   8 /* levels of objects that are told apart */
#define ROWS   12

/* An object of the answer is a line of its own, and goes on below itself where it is long; what is
 * deeper has a name of several words. */
typedef struct telling {
    allot__text *out;
    bool plain; /* this time it is what stands in no object */
    int wide, column;
    bool first;
    char key[DEEP][64];
} telling;

static void put_item(telling *of, allot__text *to, const char *name, const char *value)
{
    int len = (int)strlen(name) + (int)strlen(value) + 3;
    if (!of->first)
        allot__cli_puts(to, ",");
    if (of->column > INDENT && of->column + len > of->wide) {
        allot__cli_puts(to, "\n");
        allot__cli_spaces(to, INDENT);
        of->column = INDENT;
    } else if (!of->first) {
        allot__cli_puts(to, " ");
    }
    allot__cli_printf(to, "%s%s", name, *name != '\0' ? " " : "");
    allot__cli_puts_safe(to, value, strlen(value));
    of->column += len;
    of->first = false;
}

static const char *value_of(const allot_json_event *event, char *buf, size_t size)
{
    switch (event->kind) {
    case ALLOT_JSON_TEXT:
        return event->text;
    case ALLOT_JSON_WHOLE:
        snprintf(buf, size, "%lld", (long long)event->whole);
        return buf;
    case ALLOT_JSON_NUMBER:
        snprintf(buf, size, "%g", event->number);
        return buf;
    case ALLOT_JSON_TRUE:
        return "yes";
    case ALLOT_JSON_FALSE:
        return "no";
    default:
        return "none";
    }
}

static void tell_value(telling *of, const allot_json_event *event)
{
    char buf[40], name[3 * 64] = "";
    int last = event->depth < DEEP ? event->depth : DEEP - 1;
    for (int i = 2; i <= last && i < 5; i++) {
        size_t len = strlen(name);
        snprintf(name + len, sizeof name - len, "%s%s", len > 0 ? " " : "", of->key[i]);
    }
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at;
    put_item(of, of->out, event->depth == 1 ? of->key[1] : name, value_of(event, buf, sizeof buf));
}

static void begin_part(telling *of, const char *name)
{
    if (of->out->len > 0)
        allot__cli_puts(of->out, "\n");
    allot__cli_printf(of->out, "%-*s", INDENT, name);
    of->column = INDENT;
    of->first = true;
}

static void tell(telling *of, allot_json *json)
{
    allot_json_event event;
    while (allot_json_next(json, &event))
        if (event.kind == ALLOT_JSON_KEY && event.depth < DEEP)
            snprintf(of->key[event.depth], sizeof of->key[0], "%s", event.text);
        else if (event.kind == ALLOT_JSON_OBJECT && event.depth == 1 && !of->plain)
            begin_part(of, of->key[1]);
        else if (event.kind >= ALLOT_JSON_TEXT && (event.depth == 1) == of->plain)
            tell_value(of, &event);
}

/* ---- Who has what ---------------------------------------------------------------------------- */

static int tell_rows(allot__cli *cli, allot__client *client)
{
    const char *result;
    size_t len;
    int wide = allot__cli_width(1);
    allot__top *top = allot_engine_alloc(cli->engine, NULL, 0, sizeof *top);
    if (!top)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    memset(top, 0, sizeof *top);
    *top = (allot__top){
        .cli = cli, .plain = true, .healthy = true, .wide = wide > 60 ? wide : 80, .seen = ROWS};
    top->root.path = (char *)"/";
    top->fancy = allot__terminal_fancy();
    int code = allot__client_ask(client, "view", "{\"most\": 12}", 12, &result, &len);
    if (code == CLI_DONE) {
        top->root.of = allot__top_read(top, result, len, top->rows, ROWS);
        allot__cli_puts(&cli->out, "\n");
        allot__top_draw(top, &cli->out);
        if (top->root.of > ROWS)
            allot__cli_printf(&cli->out, "and %lld more: allot top\n",
                              (long long)(top->root.of - ROWS));
    }
    allot_engine_alloc(cli->engine, top, sizeof *top, 0);
    return code;
}

/* Once what stands by itself, once the objects. */
static int tell_status(allot__cli *cli, const char *result, size_t len)
{
    int wide = allot__cli_width(1);
    telling of = {.out = &cli->out, .wide = wide > 40 ? wide : 80};
    begin_part(&of, "service");
    for (int pass = 0; pass < 2; pass++) {
        allot_json *json;
        int status = allot_json_open(cli->engine, result, len, "status", 1, 0, cli->report, &json);
        if (status != ALLOT_OK)
            return allot__cli_status(cli, status);
        of.plain = pass == 0;
        tell(&of, json);
        allot_json_close(json);
    }
    allot__cli_puts(&cli->out, "\n");
    return CLI_DONE;
}

int allot__cli_service_status(allot__cli *cli)
{
    allot__client client = {.fd = -1};
    const char *result, *healthy;
    size_t len, size;
    bool well = true;
    int code = allot__client_open(cli, &client);
    if (code == CLI_DONE)
        code = allot__client_ask(&client, "status", NULL, 0, &result, &len);
    if (code == CLI_DONE) {
        healthy = allot__client_member(result, len, "healthy", &size);
        well = !healthy || strncmp(healthy, "true", 4) == 0;
        if (cli->options.json) {
            allot__cli_add(&cli->out, result, len);
            allot__cli_puts(&cli->out, "\n");
        } else {
            code = tell_status(cli, result, len);
            if (code == CLI_DONE)
                code = tell_rows(cli, &client);
        }
    }
    allot__client_close(&client);
    return code == CLI_DONE && !well ? CLI_NO : code;
}
