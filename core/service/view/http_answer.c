/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * http_answer.c: which requests are allowed, by host, origin and token; their answers: a file of
 * the page, or what a method of the service says; and how these are sent, piece by piece.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "service/view/http.h"
#include "service/wire/wire.h"

/* ---- Access ---------------------------------------------------------------------------------- */

/* Cuts the port off "name", "name:port" or "[address]:port", and the brackets. */
static bool cut_port(char *host)
{
    size_t len = strlen(host);
    if (host[0] == '[') {
        char *end = strchr(host, ']');
        if (!end || (end[1] != '\0' && end[1] != ':'))
            return false;
        *end = '\0';
        memmove(host, host + 1, strlen(host));
        return true;
    }
    char *colon = strchr(host, ':');
    if (colon)
        *colon = '\0';
    return len > 0;
}

/* Addresses cannot be rebound, nor can this machine's own or configured names; any other name
 * can. */
static bool host_fits(const allot__http *http, char *host)
{
    unsigned char address[sizeof(struct in6_addr)];
    if (!cut_port(host))
        return false;
    return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1 ||
           strcasecmp(host, "localhost") == 0 || strcasecmp(host, http->host) == 0;
}

/* Whether the request comes from a page of another origin. */
static bool foreign(struct lws *wsi, const char *host)
{
    char origin[300];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0)
        return false;
    if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0)
        return true;
    const char *slashes = strstr(origin, "://");
    return !slashes || strcasecmp(slashes + 3, host) != 0;
}

int allot__http_refuse(allot__http *http, struct lws *wsi)
{
    char host[280], bare[280];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0 &&
        lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) == 0)
        return HTTP_STATUS_METHOD_NOT_ALLOWED;
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0)
        return HTTP_STATUS_BAD_REQUEST;
    memcpy(bare, host, sizeof bare);
    if (!host_fits(http, bare))
        return 421;
    return foreign(wsi, host) ? HTTP_STATUS_FORBIDDEN : 0;
}

bool allot__http_token(const allot__http *http, struct lws *wsi, const char *token, size_t len)
{
    char address[64] = "", label[ALLOT__WHO_LABEL + 1];
    bool late;
    if (!http->service->config.token)
        return true;
    lws_get_peer_simple(wsi, address, sizeof address);
    return allot__token_role(http->service, token, len, address, label, &late) != ALLOT__NOBODY;
}

bool allot__http_trusts(const allot__http *http, struct lws *wsi)
{
    char value[1100];
    if (!http->service->config.token)
        return true;
    int len = lws_hdr_copy(wsi, value, sizeof value, WSI_TOKEN_HTTP_AUTHORIZATION);
    if (len <= 7 || strncasecmp(value, "Bearer ", 7) != 0)
        return false;
    return allot__http_token(http, wsi, value + 7, (size_t)len - 7);
}

/* ---- Answers --------------------------------------------------------------------------------- */

enum { CHUNK = 8192 };

static const struct {
    const char *name, *value;
} headers[] = {
    {"content-security-policy:",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"x-frame-options:", "DENY"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cross-origin-opener-policy:", "same-origin"},
    {"cache-control:", "no-store"},
};

static void send_soon(allot__http_session *session)
{
    session->ready = true;
    lws_set_timeout(session->wsi, PENDING_TIMEOUT_HTTP_CONTENT, ALLOT__HTTP_SECONDS);
    lws_callback_on_writable(session->wsi);
}

static void send_static(allot__http_session *session, const char *type, const char *bytes,
                        size_t len)
{
    session->status = HTTP_STATUS_OK;
    session->type = type;
    session->bytes = bytes;
    session->len = len;
    send_soon(session);
}

static void send_body(allot__http_session *session, int status, const char *type)
{
    if (session->body.failed) {
        allot__text_free(&session->body);
        session->body.failed = false;
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
    }
    session->status = status;
    session->type = type;
    session->bytes = session->body.bytes;
    session->len = session->body.len;
    send_soon(session);
}

void allot__http_say(allot__http_session *session, int status, const char *text)
{
    allot__text_clear(&session->body, 0);
    allot__text_puts(&session->body, text);
    allot__text_puts(&session->body, "\n");
    send_body(session, status, "text/plain; charset=utf-8");
}

void allot__http_forget(allot__http_session *session)
{
    allot__text_free(&session->body);
    session->bytes = NULL;
    session->len = session->sent = 0;
    session->ready = session->begun = session->head = false;
}

/* ---- Sending --------------------------------------------------------------------------------- */

static int add(struct lws *wsi, const char *name, const char *value, unsigned char **at,
               unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at, end);
}

static int begin(allot__http_session *session)
{
    unsigned char bytes[LWS_PRE + 2048], *from = bytes + LWS_PRE, *at = from;
    unsigned char *end = bytes + sizeof bytes - 1;
    struct lws *wsi = session->wsi;
    if (lws_add_http_common_headers(wsi, (unsigned)session->status, session->type, session->len,
                                    &at, end))
        return -1;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (add(wsi, headers[i].name, headers[i].value, &at, end))
            return -1;
    if (session->status == HTTP_STATUS_METHOD_NOT_ALLOWED &&
        add(wsi, "allow:", "GET, HEAD", &at, end))
        return -1;
    if (session->status == HTTP_STATUS_UNAUTHORIZED &&
        add(wsi, "www-authenticate:", "Bearer", &at, end))
        return -1;
    return lws_finalize_write_http_header(wsi, from, &at, end) != 0 ? -1 : 0;
}

/* The last byte is sent. The connection stays open only after a good request: more bytes of a
 * refused one may still come. */
static int finish(allot__http_session *session)
{
    bool keep = session->status == HTTP_STATUS_OK && !session->head;
    struct lws *wsi = session->wsi;
    if (session->status < 300)
        session->http->requests++;
    else
        session->http->refused++;
    allot__http_forget(session);
    allot__http_rests(session->http, wsi);
    return !keep || lws_http_transaction_completed(wsi) ? -1 : 0;
}

int allot__http_write(allot__http_session *session)
{
    unsigned char bytes[LWS_PRE + CHUNK];
    if (!session->ready)
        return 0;
    if (!session->begun) {
        session->begun = true;
        if (begin(session) != 0)
            return -1;
        if (session->head || session->len == 0)
            return finish(session);
        lws_callback_on_writable(session->wsi);
        return 0;
    }
    size_t left = session->len - session->sent, len = left < CHUNK ? left : CHUNK;
    memcpy(bytes + LWS_PRE, session->bytes + session->sent, len);
    enum lws_write_protocol how = len == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP;
    if (lws_write(session->wsi, bytes + LWS_PRE, len, how) < 0)
        return -1;
    session->sent += len;
    if (session->sent == session->len)
        return finish(session);
    lws_set_timeout(session->wsi, PENDING_TIMEOUT_HTTP_CONTENT, ALLOT__HTTP_SECONDS);
    lws_callback_on_writable(session->wsi);
    return 0;
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* Takes the value of a method's answer, whose id is fixed. */
static void answered(void *ud, const char *line, size_t len)
{
    static const char result[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": ";
    static const char error[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": ";
    static const char unknown[] = "{\"code\": -32006"; /* ENOENT: the plan lacks the name */
    static const char standby[] = "{\"code\": -32054"; /* another service leads */
    allot__http_session *session = ud;
    bool good = strncmp(line, result, sizeof result - 1) == 0;
    size_t from = good ? sizeof result - 1 : sizeof error - 1;
    allot__text_clear(&session->body, 0);
    allot__text_add(&session->body, line + from, len - from - 1);
    allot__text_puts(&session->body, "\n");
    const char *told = line + from;
    int status = good                                              ? HTTP_STATUS_OK
                 : strncmp(told, unknown, sizeof unknown - 1) == 0 ? HTTP_STATUS_NOT_FOUND
                 : strncmp(told, standby, sizeof standby - 1) == 0 ? HTTP_STATUS_SERVICE_UNAVAILABLE
                                                                   : HTTP_STATUS_BAD_REQUEST;
    send_body(session, status, "application/json");
}

/* Adds a parameter of the URL, if given; the method reports a bad number. */
static void put_argument(allot__text *out, struct lws *wsi, const char *name)
{
    char value[2048], key[16], *end = value;
    snprintf(key, sizeof key, "%s=", name);
    const char *text = lws_get_urlarg_by_name(wsi, key, value, (int)sizeof value);
    if (!text)
        return;
    long long number = 0;
    if (*text != '\0' && (strcmp(name, "from") == 0 || strcmp(name, "most") == 0))
        number = strtoll(text, &end, 10);
    if (end != value && *end == '\0')
        allot__text_number(out, name, number);
    else
        allot__text_member(out, name, text);
}

/* These methods answer at once: they do not wait for the disk. */
static void ask(allot__http_session *session, const char *method, const char *const *names)
{
    allot__text text = {.engine = session->http->service->engine};
    allot__text_puts(&text, "{\"jsonrpc\": \"2.0\", \"id\": 1");
    allot__text_member(&text, "method", method);
    allot__text_open(&text, "params", "{");
    for (; *names; names++)
        put_argument(&text, session->wsi, *names);
    allot__text_puts(&text, "}}");
    int status = text.failed ? ALLOT_ENOMEM
                             : allot_service_call(session->http->service, text.bytes, text.len,
                                                  answered, session);
    if (status != ALLOT_OK)
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, allot_status_text(status));
    allot__text_free(&text);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Documents that need the token; method NULL: /metrics. */
static const struct document {
    const char *path, *method, *names[6];
} documents[] = {
    {"/state", "view", {"path", "group", "from", "most", "find"}},
    {"/explain", "explain", {"path", "group"}},
    {"/tasks", "tasks", {"consumer", "after"}},
    {"/status", "status", {NULL}},
    {"/report", "report", {NULL}},
    {"/metrics", NULL, {NULL}},
};

static const struct document *find_document(const char *path)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(documents[i].path, path) == 0)
            return &documents[i];
    return NULL;
}

/* /healthz: whether the service is well, whatever its role; /readyz: whether it takes events. */
static void health(allot__http_session *session, bool ready)
{
    const allot_service *service = session->http->service;
    char why[400];
    bool leads = allot__store_leads(service->store);
    if (allot__health_ails(service, why, sizeof why))
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, why);
    else if (ready && !leads)
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, "following");
    else
        allot__http_say(session, HTTP_STATUS_OK, leads ? "ok" : "ok, following");
}

static bool page(allot__http_session *session, const char *path)
{
    const allot__page_file *file = allot__page_files;
    while (file->path && strcmp(file->path, path) != 0)
        file++;
    if (file->path)
        send_static(session, file->type, (const char *)file->bytes, file->len);
    return file->path != NULL;
}

static const char *refusal(int status)
{
    return status == HTTP_STATUS_METHOD_NOT_ALLOWED ? "GET and HEAD alone"
           : status == 421                          ? "this host has another name"
           : status == HTTP_STATUS_FORBIDDEN        ? "not from a page of elsewhere"
                                                    : "no Host";
}

void allot__http_route(allot__http_session *session, const char *path)
{
    allot__http *http = session->http;
    const struct document *document = find_document(path);
    session->head = lws_hdr_total_length(session->wsi, WSI_TOKEN_HEAD_URI) > 0;
    int refused = allot__http_refuse(http, session->wsi);
    if (refused != 0) {
        allot__http_say(session, refused, refusal(refused));
    } else if (page(session, path)) {
        return;
    } else if (strcmp(path, "/healthz") == 0 || strcmp(path, "/readyz") == 0) {
        health(session, path[1] == 'r');
    } else if (!document) {
        allot__http_say(session, HTTP_STATUS_NOT_FOUND, "no such path");
    } else if (!allot__http_trusts(http, session->wsi)) {
        allot__http_say(session, HTTP_STATUS_UNAUTHORIZED, "a token is needed");
    } else if (document->method) {
        ask(session, document->method, document->names);
    } else {
        allot__metrics_write(http->service, &session->body);
        send_body(session, HTTP_STATUS_OK, "text/plain; version=0.0.4; charset=utf-8");
    }
}
