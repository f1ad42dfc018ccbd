/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* live.c: the life of viewers, and when they are sent news. */
#include "service/view/live.h"

#include "base/memory.h"

enum { SOON = 50 }; /* ms */

int allot__live_open(allot__http_session *session)
{
    allot__http *http = session->http;
    allot_engine *engine = http->service->engine;
    struct allot__viewer *live = allot__new(engine, 1, sizeof *live);
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

void allot__live_unwatch(struct allot__viewer *live)
{
    allot_engine *engine = live->session->http->service->engine;
    allot__free(engine, live->last, (size_t)live->rows, ALLOT__VIEW_NUMBERS * sizeof(int64_t));
    live->last = NULL;
    live->rows = live->watched_count = 0;
}

void allot__live_close(allot__http_session *session)
{
    allot__http *http = session->http;
    struct allot__viewer *live = session->socket;
    if (!live)
        return;
    allot__http_session **at = &http->live;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    http->live_count--;
    session->socket = NULL;
    allot__live_unwatch(live);
    allot__text_free(&live->said);
    allot__text_free(&live->out);
    allot__free(http->service->engine, live, 1, sizeof *live);
}

int allot__live_take(allot__http_session *session, const char *bytes, size_t len)
{
    struct allot__viewer *live = session->socket;
    if (!live || lws_frame_is_binary(session->wsi) || live->said.len + len > ALLOT__LIVE_MESSAGE)
        return -1;
    allot__text_add(&live->said, bytes, len);
    if (live->said.failed)
        return -1;
    if (lws_remaining_packet_payload(session->wsi) > 0 || !lws_is_final_fragment(session->wsi))
        return 0;
    allot__live_hear(live, live->said.bytes, live->said.len);
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
    struct allot__viewer *live = session->socket;
    if (!live || session->http->stopping)
        return -1;
    static const char room[LWS_PRE];
    live->slow = false;
    allot__text_clear(&live->out, 64 * 1024);
    allot__text_add(&live->out, room, sizeof room);
    allot__live_say(live);
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
            wanted = allot__live_want(at->socket) || wanted;
    if (wanted)
        refresh(http->service);
    for (allot__http_session *at = http->live; at; at = at->next) {
        if (!at->socket->slow && allot__live_behind(at->socket)) {
            at->socket->slow = true;
            lws_callback_on_writable(at->wsi);
        }
    }
}
