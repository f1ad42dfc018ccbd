/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* top.c: the verb `top`: a running service on a terminal, and what keys do. */
#include "cli/serve/top.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVERY 1000 /* ms between looks */

/* ---- Looking --------------------------------------------------------------------------------- */

/* Head, columns and keys take four lines; an explanation the lower half. */
static void measure(allot__top *top)
{
    allot__terminal_size(&top->wide, &top->high);
    int room = top->high - 4;
    if (top->why[0] != '\0')
        room -= room / 2;
    top->seen = room < 1 ? 1 : room > TOP_ROWS ? TOP_ROWS : room;
}

static void keep_in_sight(allot__top *top)
{
    int64_t count = allot__top_count(top);
    if (top->here >= count)
        top->here = count - 1;
    if (top->here < 0)
        top->here = 0;
    if (top->here < top->top)
        top->top = top->here;
    if (top->here >= top->top + top->seen)
        top->top = top->here - top->seen + 1;
    if (top->top + top->seen > count)
        top->top = count > top->seen ? count - top->seen : 0;
}

/* Tries to connect again to a service that went away, and forgets its data: the screen shows one
 * line about this. */
static int look(allot__top *top)
{
    int code = CLI_DONE;
    if (!top->connected)
        code = allot__client_open(top->cli, &top->client);
    top->connected = code == CLI_DONE;
    if (code == CLI_DONE) {
        keep_in_sight(top);
        code = allot__top_refresh(top);
    }
    if (code == CLI_DONE && allot__top_count(top) > 0 && !top->rows[0].there)
        code = allot__top_refresh(top); /* the first one told how many there are */
    if (code == CLI_DONE && top->why[0] != '\0')
        code = allot__top_explain(top);
    top->trouble[0] = '\0';
    if (code == CLI_DONE)
        return code;
    int32_t said = allot_report_count(top->cli->report);
    if (said > 0)
        snprintf(top->trouble, sizeof top->trouble, "%.200s",
                 allot_report_at(top->cli->report, said - 1)->message);
    if (code == CLI_IO || !top->connected) {
        allot__client_close(&top->client);
        top->connected = false;
    }
    return code;
}

static void show(allot__top *top)
{
    allot__text out = {.engine = top->cli->engine};
    allot__top_draw(top, &out);
    if (!out.failed && out.len > 0)
        allot__cli_write(STDOUT_FILENO, out.bytes, out.len);
    allot__text_free(&out);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void explain_here(allot__top *top)
{
    const allot__top_row *row = allot__top_row_of(top, top->here);
    if (!row)
        return;
    snprintf(top->why, sizeof top->why, "%s", row->path);
    top->lines.len = 0;
    top->why_top = 0;
}

static void move(allot__top *top, int64_t rows)
{
    top->here += rows;
    keep_in_sight(top);
}

static void go_right(allot__top *top)
{
    if (!allot__top_fold(top, top->here, true) && allot__top_is_open(top, top->here))
        move(top, 1);
}

static void go_left(allot__top *top)
{
    if (allot__top_fold(top, top->here, false))
        return;
    allot__top_place place = allot__top_at(top, top->here);
    if (place.node && place.node->parent)
        move(top, allot__top_line(place.node) - top->here);
}

static void next_group(allot__top *top)
{
    const allot__top_head *head = &top->head;
    for (int i = 0; i < head->group_count; i++)
        if (strcmp(head->groups[i], head->group) == 0) {
            snprintf(top->group, sizeof top->group, "%s",
                     head->groups[(i + 1) % head->group_count]);
            return;
        }
}

/* Esc takes one thing back at a time. */
static void take_back(allot__top *top)
{
    if (top->why[0] != '\0')
        top->why[0] = '\0';
    else if (top->find[0] != '\0')
        top->find[0] = '\0';
    top->here = top->here < allot__top_count(top) ? top->here : 0;
}

static void type(allot__top *top, int key)
{
    size_t len = strlen(top->typed);
    if (key == TOP_KEY_ESCAPE) {
        top->typing = false;
    } else if (key == '\r' || key == '\n') {
        top->typing = false;
        snprintf(top->find, sizeof top->find, "%s", top->typed);
        top->top = top->here = 0;
    } else if (key == 127 || key == '\b') {
        top->typed[len > 0 ? len - 1 : 0] = '\0';
    } else if (key >= ' ' && key < 127 && len + 1 < sizeof top->typed) {
        top->typed[len] = (char)key;
        top->typed[len + 1] = '\0';
    }
}

static void move_key(allot__top *top, int key)
{
    bool why = top->why[0] != '\0';
    int64_t page = top->seen > 1 ? top->seen - 1 : 1;
    if (key == TOP_KEY_UP || key == 'k')
        move(top, -1);
    else if (key == TOP_KEY_DOWN || key == 'j')
        move(top, 1);
    else if (key == TOP_KEY_PAGE_UP && why)
        top->why_top = top->why_top > 5 ? top->why_top - 5 : 0;
    else if (key == TOP_KEY_PAGE_DOWN && why)
        top->why_top += 5;
    else if (key == TOP_KEY_PAGE_UP || key == TOP_KEY_PAGE_DOWN)
        move(top, key == TOP_KEY_PAGE_UP ? -page : page);
    else if (key == TOP_KEY_HOME || key == TOP_KEY_END)
        move(top, key == TOP_KEY_HOME ? -top->here : allot__top_count(top));
    else
        return;
    if (why && (key == TOP_KEY_UP || key == TOP_KEY_DOWN || key == 'k' || key == 'j'))
        explain_here(top);
}

static void press(allot__top *top, int key)
{
    if (top->typing)
        type(top, key);
    else if (key == TOP_KEY_RIGHT || key == 'l')
        go_right(top);
    else if (key == TOP_KEY_LEFT || key == 'h')
        go_left(top);
    else if (key == '\r' || key == '\n')
        explain_here(top);
    else if (key == TOP_KEY_ESCAPE)
        take_back(top);
    else if (key == 'g' && top->head.group_count > 1)
        next_group(top);
    else if (key == '/') {
        top->typing = true;
        top->typed[0] = '\0';
    } else
        move_key(top, key);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static void run(allot__top *top)
{
    for (;;) {
        measure(top);
        look(top);
        keep_in_sight(top);
        show(top);
        int key = allot__terminal_key(EVERY);
        /* All that was pressed meanwhile counts before the next look. */
        for (; key != TOP_KEY_NONE && key != TOP_KEY_RESIZE; key = allot__terminal_key(0)) {
            if (key == TOP_KEY_QUIT || (key == 'q' && !top->typing))
                return;
            press(top, key);
            if (!allot__top_row_of(top, top->here))
                break;
        }
        allot_report_clear(top->cli->report);
    }
}

/* The first level, from the service. */
static int document(allot__top *top)
{
    const char *result;
    size_t len;
    int code = allot__client_open(top->cli, &top->client);
    if (code == CLI_DONE)
        code = allot__client_ask(&top->client, "view", "{}", 2, &result, &len);
    if (code == CLI_DONE) {
        allot__text_add(&top->cli->out, result, len);
        allot__text_puts(&top->cli->out, "\n");
    }
    return code;
}

static int frame(allot__top *top)
{
    if (top->cli->options.json)
        return document(top);
    top->plain = true;
    top->wide = 120;
    top->high = 44;
    top->seen = 40;
    int code = look(top);
    if (code == CLI_DONE)
        allot__top_draw(top, &top->cli->out);
    return code;
}

static int on_terminal(allot__top *top)
{
    measure(top);
    int code = look(top); /* a failure at once is reported as by any verb */
    if (code == CLI_DONE && allot__terminal_take()) {
        run(top);
        allot__terminal_give();
    }
    return code;
}

int allot__cli_top(allot__cli *cli)
{
    allot__top *top = allot_engine_alloc(cli->engine, NULL, 0, sizeof *top);
    if (!top)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    memset(top, 0, sizeof *top);
    top->cli = cli;
    top->client.fd = -1;
    top->root.path = (char *)"/";
    top->lines.engine = cli->engine;
    top->fancy = allot__terminal_fancy();
    if (cli->options.group)
        snprintf(top->group, sizeof top->group, "%s", cli->options.group);
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !cli->options.json;
    top->color = terminal && allot__cli_colored((allot__color)cli->options.color, STDOUT_FILENO);
    int code = terminal ? on_terminal(top) : frame(top);
    allot__client_close(&top->client);
    allot__top_clear(top);
    allot__text_free(&top->lines);
    allot_engine_alloc(cli->engine, top, sizeof *top, 0);
    return code;
}
