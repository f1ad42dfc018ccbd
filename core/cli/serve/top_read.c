/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* top_read.c: what the method `view` answers, read into rows. */
#include <stdio.h>
#include <string.h>

#include "cli/serve/top.h"

#define HEAD(name) offsetof(allot__top_head, name)

static const struct {
    const char *name;
    size_t at;
} heads[] = {
    {"cycle", HEAD(cycle)},   {"seq", HEAD(seq)},
    {"event", HEAD(event)},   {"now", HEAD(now)},
    {"plan", HEAD(plan)},     {"consumers", HEAD(consumers)},
    {"slots", HEAD(slots)},   {"idle", HEAD(idle)},
    {"demand", HEAD(demand)}, {"allocated", HEAD(allocated)},
    {"lent", HEAD(lent)},     {"borrowed", HEAD(borrowed)},
};

static const char *const numbers[TOP_NUMBERS] = {
    [TOP_ALLOCATED] = "allocated", [TOP_QUOTA] = "quota",       [TOP_DEMAND] = "demand",
    [TOP_OWNED] = "owned",         [TOP_RESERVE] = "reserve",   [TOP_LENT] = "lent",
    [TOP_BORROWED] = "borrowed",   [TOP_SHARED] = "shared",     [TOP_FLIGHT] = "in_flight",
    [TOP_OVER] = "over",           [TOP_OWN_USED] = "own_used",
};

/* The state of reading: the place of a value depends on its depth, and on what is around it. */
typedef struct reading {
    allot__top *top;
    allot__top_row *row, *end; /* the one being filled, and behind the last */
    int64_t of, rows;
    int32_t rows_depth; /* of the objects that are rows; 0: not in them */
    bool groups, totals, history;
    char key[32];
} reading;

static void read_head(reading *of, const allot_json_event *event)
{
    allot__top_head *head = &of->top->head;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (event->kind == ALLOT_JSON_WHOLE && strcmp(of->key, heads[i].name) == 0)
            *(int64_t *)((char *)head + heads[i].at) = event->whole;
    if (event->kind != ALLOT_JSON_TEXT)
        return;
    if (of->groups && head->group_count < 16)
        snprintf(head->groups[head->group_count++], sizeof head->groups[0], "%s", event->text);
    else if (strcmp(of->key, "group") == 0)
        snprintf(head->group, sizeof head->group, "%s", event->text);
    else if (strcmp(of->key, "policy") == 0)
        snprintf(head->policy, sizeof head->policy, "%s", event->text);
}

static void read_cell(reading *of, const allot_json_event *event)
{
    allot__top_row *row = of->row;
    if (row == of->end)
        return;
    if (event->kind == ALLOT_JSON_TEXT && strcmp(of->key, "path") == 0)
        snprintf(row->path, sizeof row->path, "%s", event->text);
    if (event->kind != ALLOT_JSON_WHOLE && event->kind != ALLOT_JSON_NUMBER)
        return;
    if (strcmp(of->key, "children") == 0)
        row->children = event->whole;
    for (int i = 0; i < TOP_NUMBERS; i++)
        if (strcmp(of->key, numbers[i]) == 0)
            row->number[i] = event->number;
}

static void read_begin(reading *of, const allot_json_event *event)
{
    if (event->kind == ALLOT_JSON_LIST && event->member && strcmp(of->key, "rows") == 0)
        of->rows_depth = event->depth + 1;
    else if (event->kind == ALLOT_JSON_LIST && event->member)
        of->groups = strcmp(of->key, "groups") == 0;
    else if (of->rows_depth > 0 && event->depth == of->rows_depth && of->row != of->end)
        *of->row = (allot__top_row){.there = true};
}

static void read_end(reading *of, const allot_json_event *event)
{
    of->groups = false;
    if (of->rows_depth == 0)
        return;
    if (event->kind == ALLOT_JSON_LIST_END && event->depth < of->rows_depth) {
        of->rows_depth = 0;
    } else if (event->kind == ALLOT_JSON_OBJECT_END) {
        of->rows++;
        of->row += of->row != of->end;
    }
}

static void read_event(reading *of, const allot_json_event *event)
{
    switch (event->kind) {
    case ALLOT_JSON_KEY:
        snprintf(of->key, sizeof of->key, "%s", event->text);
        break;
    case ALLOT_JSON_OBJECT:
    case ALLOT_JSON_LIST:
        read_begin(of, event);
        break;
    case ALLOT_JSON_OBJECT_END:
    case ALLOT_JSON_LIST_END:
        read_end(of, event);
        break;
    default:
        if (of->rows_depth > 0)
            read_cell(of, event);
        else if (strcmp(of->key, "of") == 0 && event->kind == ALLOT_JSON_WHOLE)
            of->of = event->whole;
        else if (event->member || of->groups)
            read_head(of, event);
    }
}

int64_t allot__top_read(allot__top *top, const char *text, size_t len, allot__top_row *into,
                        int64_t most)
{
    reading of = {.top = top, .row = into, .end = into + most, .of = -1};
    allot_json *json;
    allot_json_event event;
    if (allot_json_open(top->cli->engine, text, len, "view", 1, 0, NULL, &json) != ALLOT_OK)
        return 0;
    top->head.group_count = 0;
    while (allot_json_next(json, &event) && strcmp(of.key, "history") != 0)
        read_event(&of, &event);
    allot_json_close(json);
    return of.of >= 0 ? of.of : of.rows;
}
