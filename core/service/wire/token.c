/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * token.c: the token, read again when its file has changed. The file is checked at each attempt to
 * authenticate, so a new token counts at once, without a signal.
 */
#include "service/wire/token.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/wire/own.h"
#include "base/memory.h"

enum { TELL_PAUSE = 10000, FILE_MOST = 4096 };

bool allot__token_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    volatile unsigned char differs = a_len != b_len;
    for (size_t i = 0; i < b_len; i++)
        differs |= (unsigned char)((a_len > 0 ? a[i % a_len] : 0) ^ b[i]);
    return differs == 0;
}

/* ---- Its file -------------------------------------------------------------------------------- */

/* Whether the file has changed; notes its current state. */
static bool has_changed(allot__token *token, const struct stat *file)
{
    const int64_t now[] = {(int64_t)file->st_dev,          (int64_t)file->st_ino,
                           (int64_t)file->st_size,         (int64_t)file->st_mtim.tv_sec,
                           (int64_t)file->st_mtim.tv_nsec, (int64_t)file->st_ctim.tv_nsec};
    bool changed = memcmp(now, token->stamp, sizeof now) != 0;
    memcpy(token->stamp, now, sizeof now);
    return changed;
}

/* Reads the first line of a regular file; its length, or -1. */
static ssize_t read_line(int file, char *text, size_t size)
{
    ssize_t got = read(file, text, size);
    for (ssize_t i = 0; i < got; i++)
        if (text[i] == '\n' || text[i] == '\r' || text[i] == '\0')
            got = i;
    return got >= ALLOT__TOKEN_LEAST && got <= ALLOT__TOKEN_MOST ? got : -1;
}

static void take(allot_service *service, const char *text, size_t len)
{
    allot_service_config *config = &service->config;
    const allot__log_field fields[] = {{"file", config->token_file, 0}, {0}};
    if (strlen(config->token) == len && memcmp(config->token, text, len) == 0)
        return;
    char *copy = allot__copy(service->engine, text, len);
    if (!copy)
        return;
    allot__free_string(service->engine, (char *)config->token);
    config->token = copy;
    allot__log(service, ALLOT_LOG_INFO, "the token is another from now on", fields);
}

/* Without a valid file the last token stays. */
static void refresh(allot_service *service)
{
    const allot_service_config *config = &service->config;
    const allot__log_field fields[] = {{"file", config->token_file, 0}, {0}};
    char text[FILE_MOST];
    struct stat about;
    if (!config->token_file || stat(config->token_file, &about) != 0 || !S_ISREG(about.st_mode) ||
        !has_changed(&service->wire->token, &about))
        return;
    int file = open(config->token_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t len = file >= 0 ? read_line(file, text, sizeof text) : -1;
    if (file >= 0)
        close(file);
    if (len >= 0)
        take(service, text, (size_t)len);
    else
        allot__log(service, ALLOT_LOG_WARNING,
                   "the token's file has no token of 16 to 1024 bytes: the one before stays",
                   fields);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void tell_wrong(allot_service *service, const char *address)
{
    allot__token *token = &service->wire->token;
    uint64_t now = uv_now(service->loop);
    token->wrong++;
    if (token->told > 0 && now - token->told_at < TELL_PAUSE)
        return;
    const allot__log_field fields[] = {
        {"from", address, 0}, {"times", NULL, token->wrong - token->told}, {0}};
    token->told = token->wrong;
    token->told_at = now;
    allot__log(service, ALLOT_LOG_WARNING, "somebody said a wrong token", fields);
}

bool allot__token_fits(allot_service *service, const char *word, size_t len, const char *address)
{
    if (!service->config.token)
        return false;
    refresh(service);
    const char *own = service->config.token;
    bool fits = allot__token_same(word, len, own, strlen(own));
    if (!fits)
        tell_wrong(service, address);
    return fits;
}

int64_t allot__token_wrong(const allot_service *service)
{
    return service->wire ? service->wire->token.wrong : 0;
}
