/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* live_take.c: messages from a viewer: the branches that it watches. */
#include <string.h>

#include "service/view/live.h"

#include "base/memory.h"

/* A message being read. */
typedef struct hearing {
    struct allot__viewer *live;
    allot_json *json;
    const allot_plan *plan;
    bool watch; /* "watch" was given */
    int32_t rows;
} hearing;

static void wrong(struct allot__viewer *live, const char *text)
{
    if (live->error[0] == '\0')
        snprintf(live->error, sizeof live->error, "%s", text);
}

static void hear_branch(hearing *of, const char *path, size_t len, int64_t from, int64_t count)
{
    struct allot__viewer *live = of->live;
    int32_t parent = ALLOT_ROOT;
    if (len != 1 || path[0] != '/') {
        parent = allot_plan_find(of->plan, path, len);
        if (parent == ALLOT_ROOT) /* a name of an earlier plan */
            return;
    }
    int32_t children = allot_plan_children(of->plan, parent);
    if (from < 0 || count < 0 || from > children) {
        wrong(live, "a branch is looked at from 0 to as many as it has");
        return;
    }
    if (count > children - from)
        count = children - from;
    if (live->watched_count == ALLOT__LIVE_BRANCHES || of->rows >= ALLOT__LIVE_ROWS) {
        wrong(live, "so much cannot be looked at at once: 128 branches, 1000 rows");
        return;
    }
    if (count > ALLOT__LIVE_ROWS - of->rows)
        count = ALLOT__LIVE_ROWS - of->rows;
    of->rows += (int32_t)count;
    live->watched[live->watched_count++] =
        (allot__viewer_branch){parent, (int32_t)from, (int32_t)count};
}

/* Reads ["/b", 200, 100], after its bracket. */
static void hear_list(hearing *of)
{
    allot_json_event event;
    char path[2048];
    size_t len = 0;
    int64_t numbers[2] = {0, ALLOT__HTTP_ROWS};
    int items = 0;
    bool good = true;
    while (allot_json_next(of->json, &event) && event.kind != ALLOT_JSON_LIST_END) {
        if (items == 0 && event.kind == ALLOT_JSON_TEXT && event.len < sizeof path) {
            len = event.len;
            memcpy(path, event.text, len);
        } else if (items > 0 && items < 3 && event.kind == ALLOT_JSON_WHOLE) {
            numbers[items - 1] = event.whole;
        } else {
            good = false;
        }
        items++;
    }
    if (good && items > 0)
        hear_branch(of, path, len, numbers[0], numbers[1]);
    else
        wrong(of->live, "a branch is \"/path\" or [\"/path\", from, count]");
}

static void hear_watch(hearing *of)
{
    allot_json_event event;
    allot__live_unwatch(of->live);
    of->watch = true;
    of->rows = 0;
    while (allot_json_next(of->json, &event) && event.kind != ALLOT_JSON_LIST_END)
        if (event.kind == ALLOT_JSON_TEXT)
            hear_branch(of, event.text, event.len, 0, ALLOT__HTTP_ROWS);
        else if (event.kind == ALLOT_JSON_LIST)
            hear_list(of);
        else
            wrong(of->live, "watch is a list of branches");
}

static void hear_group(hearing *of, const allot_json_event *event)
{
    int32_t group = allot_plan_group_find(of->plan, event->text, event->len);
    if (group < 0)
        wrong(of->live, "the plan has no such group");
    else if (group != of->live->group)
        of->live->fresh = true;
    if (group >= 0)
        of->live->group = group;
}

static void hear_member(hearing *of, const char *key)
{
    allot_json_event event;
    if (!allot_json_next(of->json, &event))
        return;
    if (strcmp(key, "token") == 0 && event.kind == ALLOT_JSON_TEXT)
        of->live->trusted =
            of->live->trusted || allot__http_token(of->live->session->http, of->live->session->wsi,
                                                   event.text, event.len);
    else if (strcmp(key, "group") == 0 && event.kind == ALLOT_JSON_TEXT)
        hear_group(of, &event);
    else if (strcmp(key, "watch") == 0 && event.kind == ALLOT_JSON_LIST)
        hear_watch(of);
    else
        wrong(of->live, "what can be said is token and group, texts, and watch, a list");
}

static void hear_object(hearing *of)
{
    allot_json_event event;
    if (!allot_json_next(of->json, &event) || event.kind != ALLOT_JSON_OBJECT) {
        wrong(of->live, "what is said is an object");
        return;
    }
    while (of->live->error[0] == '\0' && allot_json_next(of->json, &event) &&
           event.kind == ALLOT_JSON_KEY) {
        char key[16];
        snprintf(key, sizeof key, "%s", event.text);
        hear_member(of, key);
    }
}

/* Reserves space for the values last sent. */
static void make_room(hearing *of)
{
    struct allot__viewer *live = of->live;
    if (of->rows > 0)
        live->last = allot__new(live->session->http->service->engine, (size_t)of->rows,
                                ALLOT__VIEW_NUMBERS * sizeof(int64_t));
    live->rows = live->last ? of->rows : 0;
    if (live->rows == of->rows)
        return;
    live->watched_count = 0;
    wrong(live, "no memory");
}

void allot__live_hear(struct allot__viewer *live, const char *text, size_t len)
{
    allot_service *service = live->session->http->service;
    const allot__view *view = service->components.view;
    hearing of = {.live = live, .plan = service->generation->plan};
    allot_report *report;
    live->error[0] = '\0';
    if (allot_report_new(service->engine, &report) != ALLOT_OK) {
        wrong(live, "no memory");
        return;
    }
    if (allot_json_open(service->engine, text, len, "message", 1, 0, report, &of.json) ==
        ALLOT_OK) {
        hear_object(&of);
        allot_json_close(of.json);
    } else {
        wrong(live, "what is said is no JSON");
    }
    allot_report_free(report);
    if (of.watch)
        make_room(&of);
    if (!live->trusted) {
        allot__live_unwatch(live);
        wrong(live, "a token is needed");
    }
    if (of.watch)
        live->plan = view->plan;
    live->whole = live->watched_count > 0;
}
