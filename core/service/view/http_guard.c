/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* http_guard.c: which requests are allowed, by host, origin and token. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "service/view/http.h"
#include "service/wire/wire.h"

bool allot__http_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
}

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
    char address[64] = "";
    if (!http->service->config.token)
        return true;
    lws_get_peer_simple(wsi, address, sizeof address);
    return allot__token_fits(http->service, token, len, address);
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
