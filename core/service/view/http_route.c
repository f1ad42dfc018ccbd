/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* http_route.c: what a path means: a file of the page, or a method of the service. */
#include <stdlib.h>
#include <string.h>

#include "service/view/http.h"

#include "base/memory.h"

/* ---- Answers of the service ------------------------------------------------------------------ */

static void unlink_ask(allot__http_ask *ask)
{
    allot__http_ask **at = &ask->http->asks;
    while (*at != ask)
        at = &(*at)->next;
    *at = ask->next;
}

/* An answer is {"jsonrpc": "2.0", "id": 1, "result": ...} or has an "error"; the id is ours, so the
 * first such key is the one. */
static void take_answer(allot__http_session *session, const char *line, size_t len)
{
    static const char result[] = "\"result\": ", error[] = "\"error\": ";
    const char *at = strstr(line, result), *wrong = strstr(line, error);
    bool good = at != NULL && (!wrong || at < wrong);
    if (!good)
        at = wrong ? wrong + strlen(error) : line;
    else
        at += strlen(result);
    const char *end = line + len;
    if (at != line && end > at)
        end--; /* the answer's own brace */
    allot__text_clear(&session->body, 0);
    allot__text_add(&session->body, at, (size_t)(end - at));
    allot__text_puts(&session->body, "\n");
    /* -32006 is ENOENT: the plan lacks what was named. */
    int status = good                             ? HTTP_STATUS_OK
                 : strstr(at, "\"code\": -32006") ? HTTP_STATUS_NOT_FOUND
                                                  : HTTP_STATUS_BAD_REQUEST;
    allot__http_body(session, status, "application/json");
}

static void answered(void *ud, const char *line, size_t len)
{
    allot__http_ask *ask = ud;
    allot__http_session *session = ask->session;
    unlink_ask(ask);
    allot__free(ask->http->service->engine, ask, 1, sizeof *ask);
    if (!session)
        return;
    session->ask = NULL;
    /* A string, which strstr needs. */
    char *copy = allot__copy(session->http->service->engine, line, len);
    if (!copy) {
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, "no memory");
        return;
    }
    take_answer(session, copy, strlen(copy));
    allot__free_string(session->http->service->engine, copy);
}

static void call(allot__http_session *session, const allot__text *text)
{
    allot__http *http = session->http;
    allot__http_ask *ask = allot__new(http->service->engine, 1, sizeof *ask);
    if (!ask || text->failed) {
        allot__free(http->service->engine, ask, 1, sizeof *ask);
        allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, "no memory");
        return;
    }
    *ask = (allot__http_ask){http, session, http->asks};
    http->asks = session->ask = ask;
    int status = allot_service_call(http->service, text->bytes, text->len, answered, ask);
    if (status == ALLOT_OK)
        return;
    session->ask = NULL;
    unlink_ask(ask);
    allot__free(http->service->engine, ask, 1, sizeof *ask);
    allot__http_say(session, HTTP_STATUS_SERVICE_UNAVAILABLE, allot_status_text(status));
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* A parameter of the address; NULL: not there. */
static const char *argument(struct lws *wsi, const char *name, char *buf, size_t size)
{
    return lws_get_urlarg_by_name(wsi, name, buf, (int)size);
}

static void put_text(allot__text *out, struct lws *wsi, const char *name, const char *member)
{
    char value[2048];
    allot__text_member(out, member, argument(wsi, name, value, sizeof value));
}

static void put_number(allot__text *out, struct lws *wsi, const char *name, const char *member)
{
    char value[32], *end;
    const char *text = argument(wsi, name, value, sizeof value);
    if (!text)
        return;
    long long number = strtoll(text, &end, 10);
    if (*text != '\0' && *end == '\0')
        allot__text_number(out, member, number);
    else
        allot__text_member(out, member, text); /* the method says what it takes */
}

static void ask(allot__http_session *session, const char *method, const char *const *names)
{
    allot__text text = {.engine = session->http->service->engine};
    allot__text_puts(&text, "{\"jsonrpc\": \"2.0\", \"id\": 1");
    allot__text_member(&text, "method", method);
    allot__text_open(&text, "params", "{");
    for (; *names != NULL; names++) {
        char name[16];
        snprintf(name, sizeof name, "%s=", *names);
        if (strcmp(*names, "from") == 0 || strcmp(*names, "most") == 0)
            put_number(&text, session->wsi, name, *names);
        else
            put_text(&text, session->wsi, name, *names);
    }
    allot__text_puts(&text, "}}");
    call(session, &text);
    allot__text_free(&text);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

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

static bool data(allot__http_session *session, const char *path)
{
    static const char *const view[] = {"path", "group", "from", "most", "find", NULL};
    static const char *const explain[] = {"path", "group", NULL}, *const none[] = {NULL};
    if (strcmp(path, "/metrics") == 0) {
        allot__metrics_write(session->http->service, &session->body);
        allot__http_body(session, HTTP_STATUS_OK, "text/plain; version=0.0.4; charset=utf-8");
    } else if (strcmp(path, "/state") == 0) {
        ask(session, "view", view);
    } else if (strcmp(path, "/explain") == 0) {
        ask(session, "explain", explain);
    } else if (strcmp(path, "/status") == 0 || strcmp(path, "/report") == 0) {
        ask(session, path + 1, none);
    } else {
        return false;
    }
    return true;
}

static bool is_data(const char *path)
{
    static const char *const paths[] = {"/metrics", "/state", "/explain", "/status", "/report"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(path, paths[i]) == 0)
            return true;
    return false;
}

int allot__http_route(allot__http_session *session, const char *path)
{
    allot__http *http = session->http;
    static const char *const words[] = {"GET and HEAD alone", "this host has another name",
                                        "not from a page of elsewhere", "no Host"};
    session->head = lws_hdr_total_length(session->wsi, WSI_TOKEN_HEAD_URI) > 0;
    int refused = allot__http_refuse(http, session->wsi);
    if (refused != 0)
        allot__http_say(session, refused,
                        words[refused == 405   ? 0
                              : refused == 421 ? 1
                              : refused == 403 ? 2
                                               : 3]);
    else if (page(session, path))
        return 0;
    else if (strcmp(path, "/healthz") == 0)
        health(session);
    else if (!is_data(path))
        allot__http_say(session, HTTP_STATUS_NOT_FOUND, "no such path");
    else if (!allot__http_trusts(http, session->wsi))
        allot__http_say(session, HTTP_STATUS_UNAUTHORIZED, "a token is needed");
    else
        data(session, path);
    return 0;
}
