/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* http.c: starts and stops libwebsockets on the service's loop. */
#include "service/view/http.h"

#include <string.h>

/* ---- Callbacks of libwebsockets -------------------------------------------------------------- */

static int on_request(allot__http_session *session, const char *path)
{
    allot__http_forget(session);
    if (!allot__http_asks(session->http, session->wsi) && strcmp(path, "/healthz") != 0) {
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many ask at once");
        return 0;
    }
    if (session->http->stopping)
        return -1;
    allot__http_route(session, path);
    return 0;
}

/* Checks a request to become a WebSocket. */
static int on_filter(allot__http *http, struct lws *wsi)
{
    char uri[32];
    if (lws_hdr_copy(wsi, uri, sizeof uri, WSI_TOKEN_GET_URI) <= 0 || strcmp(uri, "/events") != 0)
        return -1;
    return http->stopping || http->live_count >= ALLOT__HTTP_LIVE ||
                   allot__http_refuse(http, wsi) != 0
               ? -1
               : 0;
}

static int on_session(allot__http_session *session, enum lws_callback_reasons reason, void *in,
                      size_t len)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_request(session, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return allot__http_write(session);
    case LWS_CALLBACK_CLOSED_HTTP:
        allot__http_forget(session);
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
        allot__http_asks(session->http, session->wsi);
        return allot__live_open(session);
    case LWS_CALLBACK_RECEIVE:
        return allot__live_take(session, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return allot__live_write(session);
    default: /* LWS_CALLBACK_CLOSED */
        allot__live_close(session);
        return 0;
    }
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    allot__http_session *session = user;
    allot__http *http = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_WSI_CREATE:
        return allot__http_come(http, wsi);
    case LWS_CALLBACK_WSI_DESTROY:
        allot__http_go(http, wsi);
        return 0;
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_WRITEABLE:
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_ESTABLISHED:
    case LWS_CALLBACK_RECEIVE:
    case LWS_CALLBACK_SERVER_WRITEABLE:
    case LWS_CALLBACK_CLOSED:
        if (!session || !http)
            return 0;
        session->http = http;
        session->wsi = wsi;
        session->body.engine = http->service->engine;
        return on_session(session, reason, in, len);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return on_filter(http, wsi);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return strcmp(in, "websocket") != 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {"allot", on_event, sizeof(allot__http_session), 4096, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

/* Closes a reader that answers no ping. */
static const lws_retry_bo_t patience = {
    .secs_since_valid_ping = 20,
    .secs_since_valid_hangup = 40,
};

/* ---- Beginning ------------------------------------------------------------------------------- */

static int open_context(allot__http *http, allot_report *report)
{
    void *loops[] = {http->service->loop};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME,
        .foreign_loops = loops,
        .pcontext = &http->context,
        .user = http,
        .protocols = protocols,
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .server_string = "allot",
        .fd_limit_per_thread = (unsigned)http->service->files.viewers + 8,
        .max_http_header_pool = (unsigned short)http->service->files.viewers,
        .max_http_header_data = 8192,
        .timeout_secs = ALLOT__HTTP_SECONDS,
        .timeout_secs_ah_idle = ALLOT__HTTP_SECONDS,
        .keepalive_timeout = 30,
        .retry_and_idle_policy = &patience,
        .uid = -1,
        .gid = -1,
    };
    lws_set_log_level(0, NULL);
    struct lws_context *context = lws_create_context(&info);
    http->context = context;
    http->vhost = context ? lws_create_vhost(context, &info) : NULL;
    if (http->vhost)
        return ALLOT_OK;
    allot_report_say(report, ALLOT_ERROR, "E-listen",
                     "http: %.200s: libwebsockets or its uv event library cannot begin",
                     http->service->config.http);
    return ALLOT_EIO;
}

static void on_tick(uv_timer_t *timer)
{
    allot__http *http = ((allot_service *)timer->data)->components.http;
    allot__http_accept(http);
    allot__live_tick(http);
}

int allot__http_start(allot_service *service, allot_report *report)
{
    allot__http *http = service->components.http;
    if (!service->config.http)
        return ALLOT_OK;
    http->service = service;
    int status = open_context(http, report);
    if (status == ALLOT_OK)
        status = allot__http_listen(http, report);
    if (status != ALLOT_OK)
        return status;
    uv_timer_init(service->loop, &http->tick);
    allot__handle_open(service);
    http->tick_opened = true;
    http->tick.data = service;
    http->on_tick = on_tick;
    uv_timer_start(&http->tick, on_tick, ALLOT__VIEW_AGE, ALLOT__VIEW_AGE);
    char port[16];
    snprintf(port, sizeof port, "%d", (int)http->port);
    const allot__log_field fields[] = {{"host", http->host, 0}, {"port", port, 0}, {NULL, NULL, 0}};
    allot__log(service, ALLOT_LOG_INFO, "live view", fields);
    return ALLOT_OK;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static void look_closing(uv_handle_t *handle, void *closing)
{
    if (uv_is_closing(handle))
        *(bool *)closing = true;
}

/* libwebsockets may be destroyed only when its handles are closed; before that, it would unload
 * code that libuv still calls. It does not report them closed, so this waits until two turns of the
 * loop begin with no closing handle. */
static void on_wait(uv_idle_t *idle)
{
    allot__http *http = ((allot_service *)idle->data)->components.http;
    bool closing = false;
    if (http->context) {
        uv_walk(idle->loop, look_closing, &closing);
        http->quiet_turns = closing ? 0 : http->quiet_turns + 1;
        if (http->quiet_turns >= 3) {
            http->quiet_turns = 0;
            lws_context_destroy(http->context);
        }
    }
    if (!http->context)
        allot__handle_close(idle);
}

void allot__http_stop(allot_service *service)
{
    allot__http *http = service->components.http;
    http->stopping = true;
    allot__http_deafen(http);
    if (http->tick_opened)
        allot__handle_close(&http->tick);
    if (!http->context)
        return;
    uv_idle_init(service->loop, &http->wait);
    allot__handle_open(service);
    http->wait.data = service;
    uv_idle_start(&http->wait, on_wait);
    lws_context_destroy(http->context);
}

/* ---- Status ---------------------------------------------------------------------------------- */

void allot__http_status(allot_service *service, allot__text *out)
{
    const allot__http *http = service->components.http;
    if (!http->service)
        return;
    ALLOT__OBJECT(out, "http", "host port viewers requests refused", http->host, http->port,
                  http->live_count, http->requests, http->refused);
}
