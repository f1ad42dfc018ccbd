/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* top_ask.c: requests to the service: visible rows, and explanations. */
#include <string.h>

#include "cli/serve/top.h"

/* Children of a branch that stand together on the screen. */
typedef struct range {
    const allot__top_node *node;
    int64_t from, count, row; /* row: of the screen, the first */
} range;

static int ask(allot__top *top, const char *method, const allot__text *params, const char **result,
               size_t *len)
{
    if (params->failed)
        return allot__cli_status(top->cli, ALLOT_ENOMEM);
    return allot__client_ask(&top->client, method, params->bytes, params->len, result, len);
}

static void put_group(const allot__top *top, allot__text *to)
{
    if (top->group[0] == '\0')
        return;
    allot__text_puts(to, ", \"group\": ");
    allot__text_json(to, top->group);
}

/* One view, and its rows from `row` of the screen on. */
static int ask_view(allot__top *top, const range *of, int64_t *count)
{
    allot__text params = {.engine = top->cli->engine};
    const char *result;
    size_t len;
    bool find = !of->node;
    allot__text_puts(&params, find ? "{\"find\": " : "{\"path\": ");
    allot__text_json(&params, find ? top->find : of->node->path);
    if (!find)
        allot__text_printf(&params, ", \"from\": %lld", (long long)of->from);
    allot__text_printf(&params, ", \"most\": %lld", (long long)(of->count > 0 ? of->count : 1));
    put_group(top, &params);
    allot__text_puts(&params, "}");
    int code = ask(top, "view", &params, &result, &len);
    allot__text_free(&params);
    if (code == CLI_DONE)
        *count = allot__top_read(top, result, len, top->rows + of->row, of->count);
    return code;
}

static int ask_found(allot__top *top)
{
    range all = {NULL, 0, TOP_ROWS, 0};
    int64_t count = 0;
    top->top = 0;
    int code = ask_view(top, &all, &count);
    top->found = count < TOP_ROWS ? count : TOP_ROWS;
    return code;
}

/* Rows of the screen, branch by branch: those of one that follow each other are one question. */
static int ask_tree(allot__top *top)
{
    range now = {&top->root, 0, 0, 0};
    int64_t count = 0, rows = allot__top_count(top), seen = top->seen;
    if (rows == 0) {
        now.count = seen;
        int code = ask_view(top, &now, &count);
        top->root.of = count;
        return code;
    }
    for (int64_t i = 0; i <= seen && top->top + i <= rows; i++) {
        allot__top_place place = {NULL, 0};
        if (i < seen && top->top + i < rows)
            place = allot__top_at(top, top->top + i);
        if (place.node == now.node && place.at == now.from + now.count && now.count < TOP_BRANCH) {
            now.count++;
            continue;
        }
        if (now.count > 0) {
            int code = ask_view(top, &now, &count);
            if (code != CLI_DONE)
                return code;
        }
        now = (range){place.node, place.at, 1, i};
    }
    return CLI_DONE;
}

/* The service's own view of its health: `status`. */
static int ask_health(allot__top *top)
{
    const char *result, *member;
    size_t len, size;
    allot__text none = {.engine = top->cli->engine};
    allot__text_puts(&none, "{}");
    int code = ask(top, "status", &none, &result, &len);
    allot__text_free(&none);
    if (code != CLI_DONE)
        return code;
    member = allot__client_member(result, len, "healthy", &size);
    top->healthy = !member || strncmp(member, "true", 4) == 0;
    return CLI_DONE;
}

int allot__top_refresh(allot__top *top)
{
    int64_t plan = top->head.plan;
    for (int i = 0; i < TOP_ROWS; i++)
        top->rows[i].there = false;
    int code = ask_health(top);
    if (code == CLI_DONE)
        code = top->find[0] != '\0' ? ask_found(top) : ask_tree(top);
    /* Another plan, or a branch that it does not have: from the beginning. */
    if ((code == CLI_DONE && plan != top->head.plan) || code == CLI_NO) {
        allot_report_clear(top->cli->report);
        allot__top_clear(top);
        code = ask_tree(top);
    }
    return code;
}

/* ---- Why ------------------------------------------------------------------------------------- */

static void read_lines(allot__top *top, const char *text, size_t len)
{
    allot_json *json;
    allot_json_event event;
    if (allot_json_open(top->cli->engine, text, len, "explain", 1, 0, NULL, &json) != ALLOT_OK)
        return;
    top->lines.len = 0;
    while (allot_json_next(json, &event)) {
        if (event.kind != ALLOT_JSON_TEXT || event.member)
            continue;
        allot__text_puts_safe(&top->lines, event.text, event.len);
        allot__text_puts(&top->lines, "\n");
    }
    allot_json_close(json);
}

int allot__top_explain(allot__top *top)
{
    allot__text params = {.engine = top->cli->engine};
    const char *result;
    size_t len;
    allot__text_puts(&params, "{\"path\": ");
    allot__text_json(&params, top->why);
    put_group(top, &params);
    allot__text_puts(&params, "}");
    int code = ask(top, "explain", &params, &result, &len);
    allot__text_free(&params);
    if (code == CLI_DONE)
        read_lines(top, result, len);
    return code;
}
