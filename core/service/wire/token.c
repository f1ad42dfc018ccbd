/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* token.c: the list of tokens, its file, and the guesses of those who have none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "service/generation/file.h"
#include "service/wire/own.h"
#include "service/wire/wire.h"

enum { TELL_PAUSE = 10000, FORGIVEN = 1000 /* ms per wrong token */ };

/* ---- A list ---------------------------------------------------------------------------------- */

static const struct role {
    const char *word, *text;
} roles[] = {
    [ALLOT__NOBODY] = {"", "do nothing"},
    [ALLOT__READS] = {"read", "read"},
    [ALLOT__TELLS] = {"tell", "tell events"},
    [ALLOT__CHANGES] = {"change", "change plans"},
};

const char *allot__role_text(allot__role role)
{
    return roles[role].text;
}

const char *allot__role_word(allot__role role)
{
    return roles[role].word;
}

typedef struct entry {
    allot__role role;
    const char *token, *label;
    size_t len, label_len; /* len 0: the line has no token */
    const char *next;
} entry;

static entry read_line(const char *line)
{
    size_t len = strcspn(line, "\r\n");
    const char *end = line + len + strspn(line + len, "\r");
    entry found = {.role = ALLOT__CHANGES,
                   .token = line,
                   .label = "",
                   .len = *line == '#' ? 0 : len,
                   .next = *end == '\n' ? end + 1 : end};
    for (allot__role role = ALLOT__READS; role <= ALLOT__CHANGES; role++) {
        size_t skip = strlen(roles[role].word), label = 0;
        if (strncmp(line, roles[role].word, skip) != 0)
            continue;
        if (line[skip] == ':')
            label = strcspn(line + skip + 1, " \r\n") + 1;
        if (line[skip + label] != ' ' || label > ALLOT__WHO_LABEL + 1)
            continue;
        found.role = role;
        found.label = line + skip + (label > 0);
        found.label_len = label > 0 ? label - 1 : 0;
        found.token = line + skip + label + 1;
        found.len = len - skip - label - 1;
    }
    return found;
}

int32_t allot__tokens_wrong(const char *list, size_t *len)
{
    int32_t number = 0, count = 0;
    while (*list) {
        entry it = read_line(list);
        number++;
        count += it.len > 0;
        *len = it.len;
        if (it.len > 0 && (it.len < ALLOT__TOKEN_LEAST || it.len > ALLOT__TOKEN_MOST))
            return number;
        list = it.next;
    }
    *len = 0;
    return count == 0;
}

allot__role allot__tokens_find(const char *list, const char *word, size_t len,
                               char label[ALLOT__WHO_LABEL + 1])
{
    allot__role found = ALLOT__NOBODY;
    *label = '\0';
    while (*list) {
        entry it = read_line(list);
        bool same = allot__token_same(word, len, it.token, it.len);
        if (same && it.len > 0 && it.role > found) {
            found = it.role;
            snprintf(label, ALLOT__WHO_LABEL + 1, "%.*s", (int)it.label_len, it.label);
        }
        list = it.next;
    }
    return found;
}

bool allot__token_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    volatile unsigned char differs = a_len != b_len;
    for (size_t i = 0; i < b_len; i++)
        differs |= (unsigned char)((a_len > 0 ? a[i % a_len] : 0) ^ b[i]);
    return differs == 0;
}

/* ---- Its file -------------------------------------------------------------------------------- */

static void take(allot_service *service, const char *list)
{
    allot_service_config *config = &service->config;
    const allot__log_field fields[] = {{"file", config->token_file, 0}, {0}};
    if (strcmp(config->token, list) == 0)
        return;
    char *copy = allot__copy(service->engine, list, strlen(list));
    if (!copy)
        return;
    allot__free_string(service->engine, (char *)config->token);
    config->token = copy;
    allot__log(service, ALLOT_LOG_INFO, "the token file changed: its tokens count from now on",
               fields);
}

/* Takes the file's list. Without a valid one the last list stays, which is logged once. */
static void refresh(allot_service *service)
{
    const char *path = service->config.token_file;
    const allot__log_field fields[] = {{"file", path, 0}, {0}};
    allot__text text = {.engine = service->engine};
    size_t len;
    int error = path ? allot__reading(path, NULL, ALLOT__READ_POLICY, &text) : ENOENT;
    allot__text_add(&text, "", 1);
    bool good = error == 0 && !text.failed && allot__tokens_wrong(text.bytes, &len) == 0;
    bool there = error != ENOENT && error != ALLOT__READ_IRREGULAR;
    if (good)
        take(service, text.bytes);
    else if (there && !service->wire->token.lost)
        allot__log(service, ALLOT_LOG_WARNING,
                   "the token file needs tokens of 16 to 1024 bytes: those before stay", fields);
    service->wire->token.lost = !good && there;
    allot__text_free(&text);
}

/* ---- Guesses --------------------------------------------------------------------------------- */

allot__guesses *allot__guesses_of(allot__token *token, const char *address, uint64_t now)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *address; address++)
        hash = (hash ^ (unsigned char)*address) * UINT64_C(0x100000001b3);
    allot__guesses *found = &token->guesses[hash % ALLOT__GUESSERS];
    if (found->address != hash)
        *found = (allot__guesses){.address = hash, .at = now};
    int64_t forgiven = (int64_t)((now - found->at) / FORGIVEN);
    found->wrong = found->wrong > forgiven ? found->wrong - forgiven : 0;
    found->at += (uint64_t)forgiven * FORGIVEN;
    return found;
}

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
    allot__text text = {.engine = service->engine};
    allot__text_puts(&text, "{");
    allot__text_member(&text, "address", address);
    allot__text_number(&text, "times", fields[1].number);
    allot__text_puts(&text, "}");
    allot__note(service, "wrong-token", NULL, &text);
}

allot__role allot__token_role(allot_service *service, const char *word, size_t len,
                              const char *address, char label[ALLOT__WHO_LABEL + 1], bool *late)
{
    *late = false;
    if (!service->config.token)
        return ALLOT__NOBODY;
    allot__guesses *guesses =
        allot__guesses_of(&service->wire->token, address, uv_now(service->loop));
    *late = guesses->wrong >= ALLOT__GUESSES;
    if (*late)
        return ALLOT__NOBODY;
    refresh(service);
    allot__role role = allot__tokens_find(service->config.token, word, len, label);
    guesses->wrong += role == ALLOT__NOBODY;
    if (role == ALLOT__NOBODY)
        tell_wrong(service, address);
    return role;
}

int64_t allot__token_wrong(const allot_service *service)
{
    return service->wire ? service->wire->token.wrong : 0;
}
