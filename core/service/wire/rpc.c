/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rpc.c: splits a line into requests, runs them, and builds the answers. */
#include "service/wire/rpc.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "service/instance/service.h"
#include "service/wire/wire.h"

/* ---- Answers --------------------------------------------------------------------------------- */

static void begin_answer(allot__request *call)
{
    allot__text *out = call->answer;
    if (call->in_batch && out->len > 0 && out->bytes[out->len - 1] != '[')
        allot__text_add(out, ", ", 2);
    allot__text_puts(out, "{\"jsonrpc\": \"2.0\", \"id\": ");
    allot__text_add(out, call->id ? call->id : "null", call->id ? call->id_len : 4);
}

allot__text *allot__rpc_begin(allot__request *call)
{
    call->mark = call->answer->len;
    begin_answer(call);
    allot__text_puts(call->answer, ", \"result\": ");
    return call->answer;
}

void allot__rpc_end(allot__request *call)
{
    allot__text_add(call->answer, "}", 1);
    call->answered = true;
    if (!call->id)
        call->answer->len = call->mark;
}

static void put_data(allot__text *out, const char *code, const char *path, const char *hint,
                     const char *file, int32_t line)
{
    allot__text_open(out, "data", "{");
    ALLOT__MEMBERS(out, "code path hint file", code, path, hint, file);
    if (line > 0)
        allot__text_number(out, "line", line);
    allot__text_puts(out, "}");
}

/* An invalid request has no id, and is answered all the same. */
static void put_error(allot__request *call, int code, const char *message)
{
    call->mark = call->answer->len;
    begin_answer(call);
    allot__text_puts(call->answer, ", \"error\": {");
    ALLOT__MEMBERS(call->answer, "code message", code, message);
}

/* What a service that does not lead refuses is no refusal of the cluster's. */
static void note_refusal(const allot__request *call, const char *code, const char *message)
{
    if (call->changes)
        allot__note_refusal(call->service, call->who, call->method, call->method_len, code,
                            message);
}

static void end_error(allot__request *call, bool always)
{
    allot__text_puts(call->answer, "}}");
    call->answered = true;
    if (!call->id && !always)
        call->answer->len = call->mark;
}

void allot__rpc_error(allot__request *call, int code, const char *message,
                      const allot__error *fault)
{
    put_error(call, code, message);
    note_refusal(call, fault ? fault->code : NULL, message);
    if (fault)
        put_data(call->answer, fault->code, fault->path, fault->hint, NULL, 0);
    end_error(call, code == ALLOT__RPC_PARSE || code == ALLOT__RPC_REQUEST);
}

void allot__rpc_fault(allot__request *call, const allot__error *fault)
{
    int code = fault->status == ALLOT_ENOMEM     ? ALLOT__RPC_INTERNAL
               : fault->status == ALLOT_EINVALID ? ALLOT__RPC_PARAMS
                                                 : ALLOT__RPC_SERVER + fault->status;
    allot__rpc_error(call, code,
                     fault->status == ALLOT_ENOMEM ? allot_status_text(ALLOT_ENOMEM)
                                                   : fault->message,
                     fault->status == ALLOT_ENOMEM ? NULL : fault);
}

void allot__rpc_no_memory(allot__request *call)
{
    allot__rpc_error(call, ALLOT__RPC_INTERNAL, allot_status_text(ALLOT_ENOMEM), NULL);
}

void allot__rpc_report(allot__request *call, int status, const allot_report *report)
{
    const allot_diagnostic *first = allot__first_error(report);
    put_error(call, ALLOT__RPC_SERVER + status,
              first != NULL ? first->message : allot_status_text(status));
    note_refusal(call, first ? first->code : NULL,
                 first ? first->message : allot_status_text(status));
    if (first)
        put_data(call->answer, first->code, first->path, first->hint, first->file, first->line);
    end_error(call, false);
}

/* ---- Requests -------------------------------------------------------------------------------- */

enum { VERSION, METHOD, PARAMS, ID, MEMBERS };

/* Finds the members of a request; false: one is repeated. */
static bool split(const char *at, const char *end, allot__span *members)
{
    static const char *const names[MEMBERS] = {"jsonrpc", "method", "params", "id"};
    allot__span name, value;
    bool sound = true;
    while (allot__span_member(&at, end, &name, &value))
        for (int i = 0; i < MEMBERS; i++) {
            if (!allot__span_is(&name, names[i]))
                continue;
            sound = sound && !members[i].at;
            members[i] = value;
        }
    return sound;
}

static const char *what_is_wrong(const allot__span *members)
{
    const allot__span *version = &members[VERSION], *method = &members[METHOD];
    const allot__span *params = &members[PARAMS], *id = &members[ID];
    if (!version->at || version->len != 5 || memcmp(version->at, "\"2.0\"", 5) != 0)
        return "\"jsonrpc\" must be \"2.0\"";
    if (!method->at || method->at[0] != '"')
        return "\"method\" must be a text";
    if (params->at && params->at[0] != '{' && params->at[0] != '[')
        return "\"params\" must be an object";
    if (id->at && strchr("{[tf", id->at[0]))
        return "\"id\" must be a text, a number or null";
    if (id->at && id->len > 256)
        return "\"id\" must have at most 256 bytes";
    return NULL;
}

static int read_event(const allot__request *call, int32_t kind, allot__event *event,
                      allot__error *fault)
{
    allot_service *service = call->service;
    return allot__event_read(service->reader, allot__books_plan(service->books),
                             (allot__event_kind)kind, ALLOT__CLIENT, call->params, call->params_len,
                             event, fault);
}

/* Events named newcomers in vain: whether they wait for a plan with them. */
static bool grows(allot_service *service)
{
    const allot_report *newcomers = allot__event_newcomers(service->reader);
    bool waits = newcomers && service->up->grow(service, newcomers, NULL) == ALLOT_OK;
    allot__event_newcomers_forget(service->reader);
    return waits;
}

static void run_event(allot__request *call, int32_t kind)
{
    allot_service *service = call->service;
    allot__event event;
    allot__error fault = {.message = ""};
    int64_t seq;
    int status = read_event(call, kind, &event, &fault);
    call->held = status == ALLOT_ENOENT && grows(service);
    if (call->held)
        return;
    event.from = call->who;
    if (status == ALLOT_OK)
        status = service->up->enter(service, &event, call->params, call->params_len, &seq,
                                    &call->batch, &fault);
    if (status != ALLOT_OK) {
        service->tally.refused++;
        fault.status = status;
        allot__rpc_fault(call, &fault);
        return;
    }
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{\"seq\": ");
    allot__text_int(out, seq);
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

bool allot__rpc_allowed(allot__request *call, allot__role least)
{
    char message[160];
    allot__role role = call->peer ? allot__connection_role(call->peer) : ALLOT__CHANGES;
    call->changes = least >= ALLOT__TELLS && role != ALLOT__NOBODY;
    if (role >= least)
        return true;
    if (role == ALLOT__NOBODY)
        snprintf(message, sizeof message, "call \"auth\" with the token first");
    else
        snprintf(message, sizeof message, "this call needs a token that may %s; yours may %s",
                 allot__role_text(least), allot__role_text(role));
    allot__rpc_error(call, ALLOT__RPC_FORBIDDEN, message, NULL);
    return false;
}

/* The error suggests the nearest method. */
static void refuse_method(allot__request *call)
{
    const char *names[64];
    size_t count = 0;
    char name[84], hint[120] = "";
    allot__error fault;
    snprintf(name, sizeof name, "%.*s", (int)(call->method_len < 80 ? call->method_len : 80),
             call->method);
    for (int32_t kind = 0; kind < ALLOT__EVENTS; kind++)
        if (allot__event_find(allot__event_name(kind), strlen(allot__event_name(kind))) == kind)
            names[count++] = allot__event_name(kind);
    for (const allot__method *method = call->service->up->methods; method->name; method++)
        names[count++] = method->name;
    const char *near = allot_nearest(name, strlen(name), names, count);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    allot__error_set(&fault, ALLOT_ENOENT, "E-unknown-method", "method", hint,
                     "there is no method \"%s\"", name);
    allot__rpc_error(call, ALLOT__RPC_METHOD, fault.message, &fault);
}

bool allot__rpc_leads(const allot_service *service)
{
    return allot__store_leads(service->store) && allot__store_current(service->store);
}

void allot__rpc_standby(allot__request *call)
{
    const allot__store *store = call->service->store;
    int64_t behind;
    const char *leader = allot__store_leader(store, &behind);
    put_error(call, ALLOT__RPC_STANDBY,
              allot__store_leads(store) ? "this service cannot reach its store, and may have been "
                                          "replaced"
                                        : "another service leads: ask that one");
    ALLOT__OBJECT(call->answer, "data", "code leader", "E-standby",
                  allot__store_leads(store) ? NULL : leader);
    end_error(call, false);
}

/* Reads must be current; an event's answer comes when it is in the store, so it may wait. */
static bool is_led(const allot__request *call, bool event)
{
    return event ? allot__store_leads(call->service->store) : allot__rpc_leads(call->service);
}

static void run_method(allot__request *call)
{
    int32_t kind = allot__event_find(call->method, call->method_len);
    const allot__method *method = call->service->up->methods;
    while (kind < 0 && method->name &&
           (strlen(method->name) != call->method_len ||
            memcmp(method->name, call->method, call->method_len) != 0))
        method++;
    if (kind >= 0 || method->name) /* outlives the line */
        call->method = kind >= 0 ? allot__event_name(kind) : method->name;
    if (!allot__rpc_allowed(call, kind >= 0      ? ALLOT__TELLS
                                  : method->name ? method->least
                                                 : ALLOT__READS))
        return;
    if (kind < 0 && !method->name)
        refuse_method(call);
    else if (call->params && call->params[0] == '[')
        allot__rpc_error(call, ALLOT__RPC_PARAMS, "params are an object, not a list", NULL);
    else if (!is_led(call, kind >= 0) && (kind >= 0 || !method->about))
        allot__rpc_standby(call);
    else if (allot__hold_is(call->service) && (kind >= 0 || !method->free))
        call->held = true;
    else if (kind >= 0)
        run_event(call, kind);
    else if (method->least != ALLOT__NOBODY && call->peer &&
             !allot__connection_may_ask(call->peer) && !call->in_batch)
        call->not_yet = true; /* a batch runs to its end */
    else
        method->run(call);
}

const char *allot__rpc_take(allot__request *call, const char *line, size_t len)
{
    allot__span members[MEMBERS] = {{NULL, 0}};
    const char *end = line + len, *at = allot__span_blank(line, end);
    if (*at != '{')
        return "a request is an object";
    bool sound = split(at, end, members);
    const char *wrong = sound ? what_is_wrong(members) : "a member stands there twice";
    if (members[ID].at && !strchr("{[tf", members[ID].at[0]) && members[ID].len <= 256) {
        call->id = members[ID].at;
        call->id_len = members[ID].len;
    }
    if (wrong)
        return wrong;
    call->method = members[METHOD].at + 1;
    call->method_len = members[METHOD].len - 2;
    call->params = members[PARAMS].at;
    call->params_len = members[PARAMS].len;
    return NULL;
}

static void run_request(allot__request *call, const char *at, const char *end)
{
    const char *wrong = allot__rpc_take(call, at, (size_t)(end - at));
    if (wrong)
        allot__rpc_error(call, ALLOT__RPC_REQUEST, wrong, NULL);
    else
        run_method(call);
}

/* The end of the string or number at `at`; NULL: it is neither, or incomplete. */
static const char *skip_plain(const char *at, const char *end)
{
    const char *from = at;
    if (at < end && *at == '"') {
        for (at++; at < end && *at != '"'; at++)
            at += *at == '\\';
        return at < end ? at + 1 : NULL;
    }
    while (at < end && strchr("+-.0123456789eEnulltruefals", *at))
        at++;
    return at > from && at < end ? at : NULL;
}

/* The line is not validated yet: never reads beyond `len`. */
const allot__method *allot__rpc_long(const allot_service *service, const char *line, size_t len)
{
    const char *end = line + (len < 4096 ? len : 4096), *at = allot__span_blank(line, end);
    while (at && at < end && (*at == '{' || *at == ',')) {
        const char *name = allot__span_blank(at + 1, end), *behind = skip_plain(name, end);
        const char *colon = behind ? allot__span_blank(behind, end) : end;
        if (colon == end || *name != '"' || *colon != ':')
            return NULL;
        const char *value = allot__span_blank(colon + 1, end);
        at = skip_plain(value, end);
        allot__span key = {name + 1, (size_t)(behind - name) - 2};
        allot__span word = {value + 1, at ? (size_t)(at - value) - 2 : 0};
        for (const allot__method *it = service->up->methods;
             at && *value == '"' && allot__span_is(&key, "method") && it->name; it++)
            if (allot__span_is(&word, it->name))
                return it->run_long ? it : NULL;
        at = at ? allot__span_blank(at, end) : NULL;
    }
    return NULL;
}

/* A batch runs to its end, so newcomers in any of its events come before. */
static bool batch_grows(const allot__request *like, const char *at, const char *end)
{
    allot_service *service = like->service;
    allot__span item;
    allot__event event;
    allot__error fault;
    allot__role role = like->peer ? allot__connection_role(like->peer) : ALLOT__CHANGES;
    if (!service->generation->wild || role < ALLOT__TELLS || !allot__store_leads(service->store))
        return false;
    for (int i = 0; i < ALLOT__RPC_BATCH_MOST && allot__span_item(&at, end, &item); i++) {
        allot__request call = *like;
        const char *wrong = allot__rpc_take(&call, item.at, item.len);
        int32_t kind = wrong ? -1 : allot__event_find(call.method, call.method_len);
        if (kind >= 0)
            read_event(&call, kind, &event, &fault);
    }
    return grows(service);
}

static void run_batch(const allot__request *like, const char *at, const char *end, int64_t *batch)
{
    allot__text *answer = like->answer;
    allot__span item;
    size_t from = answer->len;
    int32_t count = 0;
    allot__text_add(answer, "[", 1);
    for (; count <= ALLOT__RPC_BATCH_MOST && allot__span_item(&at, end, &item); count++) {
        allot__request call = *like;
        call.in_batch = true;
        if (count < ALLOT__RPC_BATCH_MOST)
            run_request(&call, item.at, item.at + item.len);
        else
            allot__rpc_error(&call, ALLOT__RPC_REQUEST, "a batch has at most 10000 requests", NULL);
        *batch = call.batch > *batch ? call.batch : *batch;
    }
    if (answer->len == from + 1)
        answer->len = from;
    else
        allot__text_add(answer, "]", 1);
    if (count == 0) {
        allot__request call = *like;
        allot__rpc_error(&call, ALLOT__RPC_REQUEST, "a batch has at least one request", NULL);
    }
}

void allot__rpc_garbage(allot_engine *engine, const char *line, size_t len, char out[400])
{
    allot_report *report = NULL;
    allot_json *json;
    snprintf(out, 400, "it is no JSON");
    if (allot_report_new(engine, &report) == ALLOT_OK &&
        allot_json_open(engine, line, len, NULL, 1, 0, report, &json) == ALLOT_EINVALID &&
        allot_report_count(report) > 0)
        snprintf(out, 400, "column %d: %.300s", (int)allot_report_at(report, 0)->col,
                 allot_report_at(report, 0)->message);
    allot_report_free(report);
}

int allot__rpc_line(const allot__request *from, const char *line, size_t len, allot__text *answer,
                    int64_t *batch)
{
    allot__request call = *from;
    call.answer = answer;
    allot_json *json;
    const char *end = line + len, *at = allot__span_blank(line, end);
    *batch = 0;
    if (at == end)
        return ALLOT_OK;
    int status = allot_json_open(from->service->engine, line, len, NULL, 1, 0, NULL, &json);
    if (status == ALLOT_OK) {
        allot_json_close(json);
        if (*at == '[' && (allot__hold_is(from->service) || batch_grows(&call, at, end))) {
            return ALLOT__RPC_HELD;
        } else if (*at == '[') {
            run_batch(&call, at, end, batch);
        } else {
            run_request(&call, at, end);
            *batch = call.batch;
            if (call.not_yet || call.held)
                return call.held ? ALLOT__RPC_HELD : ALLOT__RPC_NOT_YET;
        }
    } else if (status == ALLOT_EINVALID) {
        char why[400];
        allot__rpc_garbage(from->service->engine, line, len, why);
        allot__rpc_error(&call, ALLOT__RPC_PARSE, why, NULL);
    }
    if (status == ALLOT_ENOMEM || answer->failed)
        return ALLOT_ENOMEM;
    return ALLOT_OK;
}
