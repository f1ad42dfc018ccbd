/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* http_route.c: maps a path to a file of the page or a method of the service. */
#include <stdlib.h>
#include <string.h>

#include "service/view/http.h"

/* ---- Methods --------------------------------------------------------------------------------- */

/* Takes the value of a method's answer, whose id is fixed. */
static void answered(void *ud, const char *line, size_t len)
{
    static const char result[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": ";
    static const char error[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": ";
    static const char unknown[] = "{\"code\": -32006"; /* ENOENT: the plan lacks the name */
    allot__http_session *session = ud;
    bool good = strncmp(line, result, sizeof result - 1) == 0;
    size_t from = good ? sizeof result - 1 : sizeof error - 1;
    allot__text_clear(&session->body, 0);
    allot__text_add(&session->body, line + from, len - from - 1);
    allot__text_puts(&session->body, "\n");
    int status = good                                                ? HTTP_STATUS_OK
                 : strncmp(line + from, unknown, sizeof unknown - 1) ? HTTP_STATUS_BAD_REQUEST
                                                                     : HTTP_STATUS_NOT_FOUND;
    allot__http_body(session, status, "application/json");
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

static void health(allot__http_session *session)
{
    char why[400];
    if (allot__health_ails(session->http->service, why, sizeof why))
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, why);
    else
        allot__http_say(session, HTTP_STATUS_OK, "ok");
}

static bool page(allot__http_session *session, const char *path)
{
    const allot__page_file *file = allot__page_files;
    while (file->path && strcmp(file->path, path) != 0)
        file++;
    if (file->path)
        allot__http_static(session, file->type, (const char *)file->bytes, file->len);
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
    } else if (strcmp(path, "/healthz") == 0) {
        health(session);
    } else if (!document) {
        allot__http_say(session, HTTP_STATUS_NOT_FOUND, "no such path");
    } else if (!allot__http_trusts(http, session->wsi)) {
        allot__http_say(session, HTTP_STATUS_UNAUTHORIZED, "a token is needed");
    } else if (document->method) {
        ask(session, document->method, document->names);
    } else {
        allot__metrics_write(http->service, &session->body);
        allot__http_body(session, HTTP_STATUS_OK, "text/plain; version=0.0.4; charset=utf-8");
    }
}
