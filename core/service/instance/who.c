/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* who.c: who a client is, its row in the store, and notes. */
#include "service/instance/who.h"

#include <stdio.h>
#include <string.h>

#include "service/instance/service.h"

/* ---- A client -------------------------------------------------------------------------------- */

static const char *given(const char *text)
{
    return *text != '\0' ? text : NULL;
}

void allot__who_put(const allot__who *who, allot__text *out)
{
    allot__text_puts(out, "{");
    allot__text_member(out, "name", given(who->name));
    if (who->address[0] == '\0') {
        allot__text_number(out, "uid", who->uid);
        allot__text_number(out, "pid", who->pid);
    }
    allot__text_member(out, "address", given(who->address));
    allot__text_member(out, "role", who->role);
    allot__text_member(out, "token", given(who->token));
    allot__text_puts(out, "}");
}

bool allot__who_name_fits(const char *name)
{
    size_t len = strlen(name);
    bool fits = len >= 1 && len <= ALLOT__WHO_NAME;
    for (size_t i = 0; i < len && fits; i++)
        fits = (unsigned char)name[i] >= 0x20 && name[i] != 0x7f;
    return fits;
}

int64_t allot__who_row(const allot__who *who, int64_t event)
{
    if (!who)
        return 0;
    return who->row > 0 && event - who->row < ALLOT__STORE_SPAN ? who->row : event;
}

void allot__who_enter(allot_service *service, allot__who *who, int64_t row)
{
    allot__text text = {.engine = service->engine};
    if (!who || who->row == row)
        return;
    allot__who_put(who, &text);
    const allot__client_row client = {
        .event = row, .at = allot__service_now(service), .who = text.bytes};
    if (!text.failed && allot__store_client(service->store, &client) == ALLOT_OK)
        who->row = row;
    allot__text_free(&text);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

void allot__note(allot_service *service, const char *kind, const allot__who *who, allot__text *text)
{
    allot__text from = {.engine = service->engine};
    if (who)
        allot__who_put(who, &from);
    const allot__note_row row = {.event = service->event,
                                 .cycle = service->cycle,
                                 .at = allot__service_now(service),
                                 .kind = kind,
                                 .who = who ? from.bytes : NULL,
                                 .text = text->bytes};
    if (!text->failed && !from.failed && allot__store_leads(service->store))
        allot__store_note(service->store, &row);
    allot__text_free(&from);
    allot__text_free(text);
}

/* Whether one more refusal is kept in this minute. */
static bool has_room(allot_service *service)
{
    enum { MINUTE = 60000 };
    allot__notes *notes = &service->notes;
    uint64_t now = uv_now(service->loop);
    if (notes->since == 0 || now - notes->since >= MINUTE)
        *notes = (allot__notes){.since = now, .left_out = notes->left_out};
    if (notes->kept < ALLOT__NOTES) {
        notes->kept++;
        return true;
    }
    notes->left_out++;
    return false;
}

void allot__note_refusal(allot_service *service, const allot__who *who, const char *method,
                         size_t len, const char *code, const char *message)
{
    allot__text text = {.engine = service->engine};
    if (!has_room(service))
        return;
    allot__text_puts(&text, "{");
    allot__text_key(&text, "method");
    allot__text_json_len(&text, method, len);
    allot__text_member(&text, "code", code);
    allot__text_member(&text, "message", message);
    if (service->notes.left_out > 0)
        allot__text_number(&text, "left_out", service->notes.left_out);
    allot__text_puts(&text, "}");
    service->notes.left_out = 0;
    allot__note(service, "refusal", who, &text);
}
