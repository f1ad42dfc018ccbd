/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* http_answer.c: sends answers: headers, and the bytes piece by piece. */
#include <string.h>

#include "service/view/http.h"

#define CHUNK 8192

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

void allot__http_static(allot__http_session *session, const char *type, const char *bytes,
                        size_t len)
{
    session->status = HTTP_STATUS_OK;
    session->type = type;
    session->bytes = bytes;
    session->len = len;
    send_soon(session);
}

void allot__http_body(allot__http_session *session, int status, const char *type)
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
    allot__http_body(session, status, "text/plain; charset=utf-8");
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
