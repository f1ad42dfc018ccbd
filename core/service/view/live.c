/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * live.c: viewers on WebSockets: the branches that each watches, and the numbers last sent.
 *
 * A viewer sends {"token": "...", "group": "default", "watch": ["/", "/a", ["/b", 200, 100]]}:
 * branches, or 100 children of a branch from number 200 on. It first gets them whole, and then,
 * whenever its connection can send, the changes since the last message: a slow reader skips to the
 * newest state and takes no more memory than others. Of decisions it gets the last
 * ALLOT__VIEW_TOLD, and as "missed" the number of those left out.
 */
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "service/view/http.h"

enum {
    SOON = 50, /* ms */
    BRANCHES = 128,
    ROWS = 1000,
    MESSAGE = 16 * 1024 /* most bytes of a message from a allot__viewer */
};

typedef struct branch {
    int32_t parent, from, count; /* count: as requested */
} branch;

/* A watched row, and the values last sent. */
typedef struct row {
    int32_t consumer;
    int64_t last[ALLOT__VIEW_NUMBERS];
} row;

struct allot__viewer {
    allot__http_session *session;
    branch watched[BRANCHES];
    int32_t watched_count, row_count, group;
    row *rows; /* branch by branch */
    int64_t number, version, plan, point, told;
    bool trusted, slow;    /* slow: the last message is not sent yet */
    bool whole, fresh;     /* whole: send its branches whole; fresh: send past events, too */
    allot__text said, out; /* out begins with LWS_PRE bytes for libwebsockets */
    char error[200];       /* to be sent; "": none */
};

static allot_service *service_of(const allot__viewer *live)
{
    return live->session->http->service;
}

static void unwatch(allot__viewer *live)
{
    allot__free(service_of(live)->engine, live->rows, (size_t)live->row_count, sizeof *live->rows);
    live->rows = NULL;
    live->row_count = live->watched_count = 0;
}

/* ---- Messages from a viewer ------------------------------------------------------------------ */

/* A message being read. */
typedef struct hearing {
    allot__viewer *live;
    allot_json *json;
    const allot_plan *plan;
    bool watch; /* "watch" was given */
    int32_t rows;
} hearing;

static void wrong(allot__viewer *live, const char *text)
{
    if (live->error[0] == '\0')
        snprintf(live->error, sizeof live->error, "%s", text);
}

static void hear_branch(hearing *of, const char *path, size_t len, int64_t from, int64_t count)
{
    allot__viewer *live = of->live;
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
    if (live->watched_count == BRANCHES || of->rows >= ROWS) {
        wrong(live, "so much cannot be looked at at once: 128 branches, 1000 rows");
        return;
    }
    if (count > ROWS - of->rows)
        count = ROWS - of->rows;
    of->rows += (int32_t)count;
    live->watched[live->watched_count++] = (branch){parent, (int32_t)from, (int32_t)count};
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
    unwatch(of->live);
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

/* Lists the watched rows. */
static void list_rows(hearing *of)
{
    allot__viewer *live = of->live;
    row *rows = NULL;
    if (of->rows > 0)
        rows = allot__new(service_of(live)->engine, (size_t)of->rows, sizeof *rows);
    if (of->rows > 0 && !rows) {
        live->watched_count = 0;
        wrong(live, "no memory");
        return;
    }
    live->rows = rows;
    live->row_count = of->rows;
    for (int32_t i = 0; i < live->watched_count; i++) {
        const branch *at = &live->watched[i];
        for (int32_t k = 0; k < at->count; k++)
            (rows++)->consumer = allot_plan_child(of->plan, at->parent, at->from + k);
    }
}

static void hear(allot__viewer *live, const char *text, size_t len)
{
    allot_service *service = service_of(live);
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
        list_rows(&of);
    if (!live->trusted) {
        unwatch(live);
        wrong(live, "a token is needed");
    }
    if (of.watch)
        live->plan = view->plan;
    live->whole = live->watched_count > 0;
}

/* ---- Messages to a viewer -------------------------------------------------------------------- */

/* Marks its watched rows as wanted; false: no memory. */
static bool want(allot__viewer *live)
{
    allot_service *service = service_of(live);
    bool done = live->plan == service->components.view->plan;
    for (int32_t i = 0; i < live->row_count && done; i++)
        done = allot__view_want(service, live->group, live->rows[i].consumer) == ALLOT_OK;
    return done;
}

/* Whether all its watched rows are present. */
static bool is_made(const allot__viewer *live, const allot__view *view)
{
    bool made = view->computed;
    for (int32_t i = 0; i < live->row_count && made; i++)
        made = allot__view_has(view, live->group, live->rows[i].consumer);
    return made;
}

/* Whether there is news for it. */
static bool is_behind(const allot__viewer *live)
{
    const allot__view *view = service_of(live)->components.view;
    if (live->error[0] != '\0')
        return true;
    if (live->watched_count == 0)
        return false;
    return live->plan != view->plan || live->whole || live->version != view->version ||
           live->told != view->told_count || live->point != view->point;
}

static void put_row(allot__viewer *live, const int64_t *now, row *it)
{
    if (memcmp(now, it->last, sizeof it->last) == 0)
        return;
    allot__text_key(&live->out, NULL);
    allot__text_puts(&live->out, "{\"path\": ");
    allot__text_json_path(&live->out, service_of(live)->generation->plan, it->consumer);
    for (int i = 0; i < ALLOT__VIEW_NUMBERS; i++)
        if (now[i] != it->last[i])
            allot__view_put(&live->out, i, now[i]);
    allot__text_puts(&live->out, "}");
}

/* Puts branches whole, or the rows that changed. */
static void put_rows(allot__viewer *live, const allot__view *view)
{
    allot__text_open(&live->out, live->whole ? "branches" : "rows", "[");
    for (int32_t i = 0; i < live->watched_count && live->whole; i++) {
        const branch *at = &live->watched[i];
        allot__text_key(&live->out, NULL);
        allot__view_put_branch(&live->out, service_of(live), view, live->group, at->parent,
                               at->from, at->count);
    }
    for (int32_t i = 0; i < live->row_count; i++) {
        row *it = &live->rows[i];
        const int64_t *now = allot__view_row(view, live->group, it->consumer);
        if (!live->whole)
            put_row(live, now, it);
        memcpy(it->last, now, sizeof it->last);
    }
    allot__text_puts(&live->out, "]");
}

static void put_news(allot__viewer *live, const allot__view *view)
{
    int64_t missed = view->told_count - ALLOT__VIEW_TOLD - live->told;
    allot__text_puts(&live->out, "{");
    allot__text_number(&live->out, "n", ++live->number);
    allot__view_put_head(&live->out, service_of(live), view, live->group);
    if (missed > 0 && !live->fresh)
        allot__text_number(&live->out, "missed", missed);
    if (live->fresh) {
        live->point = live->told = 0;
        allot__text_bool(&live->out, "fresh", true);
    }
    put_rows(live, view);
    allot__view_put_history(&live->out, view, live->group, live->point - (live->point > 0));
    allot__view_put_told(&live->out, view, live->told);
    allot__text_puts(&live->out, "}");
    live->whole = live->fresh = false;
    live->version = view->version;
    live->point = view->point;
    live->told = view->told_count;
}

/* Puts the next message, if there is news. */
static void say(allot__viewer *live)
{
    const allot__view *view = service_of(live)->components.view;
    if (live->error[0] != '\0') {
        allot__text_puts(&live->out, "{\"error\": ");
        allot__text_json(&live->out, live->error);
        allot__text_puts(&live->out, "}");
        live->error[0] = '\0';
        return;
    }
    if (!is_behind(live))
        return;
    if (live->plan != view->plan) {
        /* The branches were another plan's: the viewer must send its branches again. */
        live->group = 0;
        live->fresh = true;
        unwatch(live);
        allot__text_puts(&live->out, "{\"again\": true}");
        return;
    }
    if (is_made(live, view)) /* else the next tick has them */
        put_news(live, view);
}

/* ---- The life of viewers, and when they are sent news --------------------------------------- */

int allot__live_open(allot__http_session *session)
{
    allot__http *http = session->http;
    allot_engine *engine = http->service->engine;
    allot__viewer *live = allot__new(engine, 1, sizeof *live);
    if (!live)
        return -1;
    live->session = session;
    live->said.engine = live->out.engine = engine;
    live->plan = -1;
    live->fresh = true;
    /* A client may send the token in a header; a page only in a message. */
    live->trusted = !http->service->config.token ||
                    (lws_hdr_total_length(session->wsi, WSI_TOKEN_HTTP_AUTHORIZATION) > 0 &&
                     allot__http_trusts(http, session->wsi));
    session->socket = live;
    session->next = http->live;
    http->live = session;
    http->live_count++;
    return 0;
}

void allot__live_close(allot__http_session *session)
{
    allot__http *http = session->http;
    allot__viewer *live = session->socket;
    if (!live)
        return;
    allot__http_session **at = &http->live;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    http->live_count--;
    session->socket = NULL;
    unwatch(live);
    allot__text_free(&live->said);
    allot__text_free(&live->out);
    allot__free(http->service->engine, live, 1, sizeof *live);
}

int allot__live_take(allot__http_session *session, const char *bytes, size_t len)
{
    allot__viewer *live = session->socket;
    if (!live || lws_frame_is_binary(session->wsi) || live->said.len + len > MESSAGE)
        return -1;
    allot__text_add(&live->said, bytes, len);
    if (live->said.failed)
        return -1;
    if (lws_remaining_packet_payload(session->wsi) > 0 || !lws_is_final_fragment(session->wsi))
        return 0;
    hear(live, live->said.bytes, live->said.len);
    allot__text_clear(&live->said, 4096);
    /* At once, unless viewers were just served: then with the others. */
    const allot__view *view = session->http->service->components.view;
    if (uv_now(session->http->service->loop) - view->made >= SOON)
        allot__live_tick(session->http);
    lws_callback_on_writable(session->wsi);
    return 0;
}

int allot__live_write(allot__http_session *session)
{
    allot__viewer *live = session->socket;
    if (!live || session->http->stopping)
        return -1;
    static const char room[LWS_PRE];
    live->slow = false;
    allot__text_clear(&live->out, 64 * 1024);
    allot__text_add(&live->out, room, sizeof room);
    say(live);
    if (live->out.failed)
        return -1;
    if (live->out.len == sizeof room)
        return 0;
    unsigned char *from = (unsigned char *)live->out.bytes + sizeof room;
    int wrote = lws_write(session->wsi, from, live->out.len - sizeof room, LWS_WRITE_TEXT);
    return wrote < 0 ? -1 : 0;
}

static void refresh(allot_service *service)
{
    allot_report *report;
    if (allot_report_new(service->engine, &report) != ALLOT_OK)
        return;
    /* A failure here will also fail the next cycle, which logs it. */
    allot__view_refresh(service, report);
    allot_report_free(report);
}

void allot__live_tick(allot__http *http)
{
    bool wanted = false;
    if (http->stopping)
        return;
    for (allot__http_session *at = http->live; at; at = at->next)
        if (at->socket->watched_count > 0)
            wanted = want(at->socket) || wanted;
    if (wanted)
        refresh(http->service);
    for (allot__http_session *at = http->live; at; at = at->next) {
        if (!at->socket->slow && is_behind(at->socket)) {
            at->socket->slow = true;
            lws_callback_on_writable(at->wsi);
        }
    }
}
