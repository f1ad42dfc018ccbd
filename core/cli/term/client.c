/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* client.c: a connection to a service, and its answers; its plan and state in place of files. */
#include "cli/term/client.h"
#include "base/report.h"
#include "base/span.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- Connecting ------------------------------------------------------------------------------ */

static int fail_errno(allot__client *client, const char *what, int error)
{
    char words[CLI_WHY];
    return allot__cli_fail(
        client->cli, CLI_IO, "E-connection",
        error == ENOENT || error == ECONNREFUSED ? "does `allot serve` run there?" : NULL,
        "%.200s: %s: %s", client->address, what, allot__cli_words(error, words));
}

static int connect_path(allot__client *client)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(client->address) >= sizeof to.sun_path)
        return fail_errno(client, "cannot connect", ENAMETOOLONG);
    memcpy(to.sun_path, client->address, strlen(client->address) + 1);
    client->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (client->fd < 0 || connect(client->fd, (const struct sockaddr *)&to, sizeof to) != 0)
        return fail_errno(client, "cannot connect", errno);
    return CLI_DONE;
}

/* The first of the host's addresses that answers. */
static int connect_any(allot__client *client, const struct addrinfo *list)
{
    int error = EADDRNOTAVAIL;
    for (; list; list = list->ai_next) {
        client->fd = socket(list->ai_family, list->ai_socktype, list->ai_protocol);
        if (client->fd >= 0 && connect(client->fd, list->ai_addr, list->ai_addrlen) == 0)
            return CLI_DONE;
        error = errno;
        if (client->fd >= 0)
            close(client->fd);
        client->fd = -1;
    }
    return fail_errno(client, "cannot connect", error);
}

/* "host:port", "[::1]:port", ":port". */
static int connect_host(allot__client *client, const char *colon)
{
    char host[256];
    size_t len = (size_t)(colon - client->address);
    const char *from = client->address;
    if (len > 1 && from[0] == '[' && from[len - 1] == ']') {
        from++;
        len -= 2;
    }
    snprintf(host, sizeof host, "%.*s", len < 255 ? (int)len : 255, from);
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    int error = getaddrinfo(len > 0 ? host : "127.0.0.1", colon + 1, &hints, &list);
    if (error != 0)
        return allot__cli_fail(client->cli, CLI_IO, "E-connection", NULL,
                               "%.200s: cannot connect: %s", client->address, gai_strerror(error));
    int code = connect_any(client, list);
    freeaddrinfo(list);
    return code;
}

static int say_token(allot__client *client)
{
    allot__cli *cli = client->cli;
    allot__text token = {0}, params = {.engine = cli->engine};
    const char *result;
    size_t len;
    if (!cli->options.token_file)
        return CLI_DONE;
    int code = allot__cli_first_line(cli, cli->options.token_file, &token);
    if (code == CLI_DONE) {
        allot__text_puts(&params, "{");
        allot__text_member(&params, "token", token.bytes);
        allot__text_puts(&params, "}");
        code = params.failed
                   ? allot__cli_status(cli, ALLOT_ENOMEM)
                   : allot__client_ask(client, "auth", params.bytes, params.len, &result, &len);
    }
    allot__text_free(&token);
    allot__text_free(&params);
    return code;
}

int allot__client_open(allot__cli *cli, allot__client *out)
{
    const char *address = cli->options.socket;
    *out = (allot__client){.cli = cli, .address = address, .fd = -1, .in = {.engine = cli->engine}};
    if (!address || *address == '\0')
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", "or ALLOT_SOCKET=ADDRESS",
                               "--socket says where the service listens: /path or host:port");
    const char *colon = !strchr(address, '/') ? strrchr(address, ':') : NULL;
    int code = colon ? connect_host(out, colon) : connect_path(out);
    return code == CLI_DONE ? say_token(out) : code;
}

void allot__client_close(allot__client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    allot__text_free(&client->in);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

int allot__client_send(allot__client *client, const char *line, size_t len)
{
    int error = allot__cli_write(client->fd, line, len);
    if (error == 0)
        error = allot__cli_write(client->fd, "\n", 1);
    return error == 0 ? CLI_DONE : fail_errno(client, "cannot be told", error);
}

/* Receives more bytes behind those at hand. */
static int receive(allot__client *client, int wait)
{
    struct pollfd it = {.fd = client->fd, .events = POLLIN};
    char piece[65536];
    int ready = poll(&it, 1, wait);
    if (ready == 0)
        return CLI_NO;
    ssize_t got = ready < 0 ? -1 : read(client->fd, piece, sizeof piece);
    if (got < 0)
        return errno == EINTR ? CLI_DONE : fail_errno(client, "cannot be read", errno);
    if (got == 0)
        return allot__cli_fail(client->cli, CLI_IO, "E-connection", NULL,
                               "%.200s: the service closed the connection", client->address);
    allot__text_add(&client->in, piece, (size_t)got);
    return client->in.failed ? allot__cli_status(client->cli, ALLOT_ENOMEM) : CLI_DONE;
}

int allot__client_line(allot__client *client, int wait, const char **line, size_t *len)
{
    allot__text *in = &client->in;
    if (client->at > 0) {
        memmove(in->bytes, in->bytes + client->at, in->len - client->at);
        in->len -= client->at;
        client->at = 0;
    }
    for (size_t seen = 0;;) {
        const char *end = in->len > seen ? memchr(in->bytes + seen, '\n', in->len - seen) : NULL;
        if (end) {
            *line = in->bytes;
            *len = (size_t)(end - in->bytes);
            client->at = *len + 1;
            return CLI_DONE;
        }
        seen = in->len;
        int code = receive(client, wait);
        if (code != CLI_DONE)
            return code;
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

const char *allot__client_member(const char *text, size_t len, const char *name, size_t *out)
{
    const char *end = text + len, *at = allot__span_blank(text, end);
    allot__span key, value;
    while (at < end && allot__span_member(&at, end, &key, &value))
        if (allot__span_is(&key, name)) {
            *out = value.len;
            return value.at;
        }
    return NULL;
}

bool allot__client_text(allot__client *client, const char *object, size_t len, const char *name,
                        allot__text *out)
{
    allot_engine *engine = client->cli->engine;
    allot__text key = {.engine = engine};
    size_t value_len;
    allot_json *json;
    allot_json_event event = {0};
    allot__text_json(&key, name);
    if (!key.failed)
        key.bytes[key.len - 1] = '\0';
    out->failed |= key.failed;
    const char *value =
        key.failed ? NULL : allot__client_member(object, len, key.bytes + 1, &value_len);
    allot__text_free(&key);
    if (!value || allot_json_open(engine, value, value_len, client->address, 1, 0,
                                  client->cli->report, &json) != ALLOT_OK)
        return false;
    bool text = allot_json_next(json, &event) == 1 && event.kind == ALLOT_JSON_TEXT;
    if (text)
        allot__text_add(out, event.text, event.len);
    allot_json_close(json);
    return text;
}

static int report_error(allot__client *client, const char *error, size_t len)
{
    allot__cli *cli = client->cli;
    allot__text message = {.engine = cli->engine}, code = message, hint = message, file = message;
    size_t data_len = 0, line_len;
    const char *data = allot__client_member(error, len, "data", &data_len);
    allot__client_text(client, error, len, "message", &message);
    data = data ? data : "{}";
    data_len = data_len > 0 ? data_len : 2;
    allot__client_text(client, data, data_len, "code", &code);
    allot__client_text(client, data, data_len, "hint", &hint);
    allot__client_text(client, data, data_len, "file", &file);
    const char *line = allot__client_member(data, data_len, "line", &line_len);
    allot_diagnostic finding =
        allot__error(code.len > 0 ? code.bytes : "E-service",
                     message.len > 0 ? message.bytes : "the service refused the request");
    finding.hint = hint.bytes;
    finding.file = file.bytes;
    finding.line = line ? (int32_t)strtol(line, NULL, 10) : 0;
    allot_report_add(cli->report, &finding);
    if (cli->options.json) {
        allot__text_puts(&cli->out, "{\"error\": ");
        allot__text_add(&cli->out, error, len);
        allot__text_puts(&cli->out, "}\n");
    }
    allot__text *const texts[] = {&message, &code, &hint, &file};
    for (int i = 0; i < 4; i++)
        allot__text_free(texts[i]);
    return CLI_NO;
}

int allot__client_ask(allot__client *client, const char *method, const char *params, size_t len,
                      const char **result, size_t *result_len)
{
    allot__text line = {.engine = client->cli->engine};
    size_t size, error_size;
    const char *text, *error;
    allot__text_puts(&line, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": ");
    allot__text_json(&line, method);
    if (params) {
        allot__text_puts(&line, ", \"params\": ");
        allot__text_add(&line, params, len);
    }
    allot__text_puts(&line, "}");
    int code = line.failed ? allot__cli_status(client->cli, ALLOT_ENOMEM)
                           : allot__client_send(client, line.bytes, line.len);
    allot__text_free(&line);
    do {
        if (code == CLI_DONE)
            code = allot__client_line(client, -1, &text, &size);
    } while (code == CLI_DONE && allot__client_member(text, size, "method", &error_size));
    if (code != CLI_DONE)
        return code;
    error = allot__client_member(text, size, "error", &error_size);
    *result = allot__client_member(text, size, "result", result_len);
    if (error || !*result)
        return report_error(client, error ? error : "{}", error ? error_size : 2);
    return CLI_DONE;
}

int allot__client_state(allot__cli *cli, allot__client *client, const char **result, size_t *len)
{
    static const char params[] = "{\"plan\": true}";
    int code = allot__client_open(cli, client);
    if (code == CLI_DONE)
        code = allot__client_ask(client, "state", params, sizeof params - 1, result, len);
    return code == CLI_NO ? CLI_IO : code; /* "no" is the verb's own answer */
}

/* ---- Plan and state, in place of files ------------------------------------------------------- */

/* A missing member reads as an empty document, and so fails. */
static int read_answer(allot__remote *live)
{
    size_t len;
    const char *plan = allot__client_member(live->answer, live->answer_len, "plan", &len);
    const char *state =
        allot__client_member(live->answer, live->answer_len, "state", &live->state.len);
    live->state.bytes = (char *)(state ? state : "");
    live->state.len = state ? live->state.len : 0;
    if (!plan)
        return CLI_DONE;
    allot__client_text(&live->client, plan, len, "file", &live->file);
    allot__client_text(&live->client, plan, len, "text", &live->plan);
    allot__client_text(&live->client, plan, len, "instead", &live->instead);
    bool failed = live->file.failed || live->plan.failed || live->instead.failed;
    return allot__cli_status(live->client.cli, failed ? ALLOT_ENOMEM : ALLOT_OK);
}

int allot__remote_open(allot__cli *cli, allot__remote *out)
{
    *out = (allot__remote){.address = cli->options.socket};
    out->file.engine = out->plan.engine = out->instead.engine = cli->engine;
    int code = allot__client_state(cli, &out->client, &out->answer, &out->answer_len);
    return code == CLI_DONE ? read_answer(out) : code;
}

void allot__remote_close(allot__remote *live)
{
    allot__text_free(&live->file);
    allot__text_free(&live->plan);
    allot__text_free(&live->instead);
    allot__client_close(&live->client);
}

/* A policy's file has its name in the service, relative to the plan's folder. */
static void join(allot__text *out, const char *plan_file, const char *use)
{
    bool file = strchr(use, '/') || allot__cli_ends_in(use, ".lua");
    const char *slash = file && plan_file && use[0] != '/' ? strrchr(plan_file, '/') : NULL;
    if (slash)
        allot__text_add(out, plan_file, (size_t)(slash - plan_file) + 1);
    allot__text_puts(out, use);
}

int allot__remote_load(allot__remote *live, const char *use, const char *plan_file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report)
{
    allot__cli *cli = live->client.cli;
    allot_engine *engine = cli->engine;
    size_t len;
    const char *plan = allot__client_member(live->answer, live->answer_len, "plan", &len);
    const char *policies = plan ? allot__client_member(plan, len, "policies", &len) : NULL;
    allot__text text = {.engine = engine}, name = text;
    allot_script_limits limits;
    int status = ALLOT_ENOENT;
    allot__cli_trace(cli, &limits);
    join(&name, plan_file, use);
    if (policies && allot__client_text(&live->client, policies, len, use, &text))
        status = text.failed || name.failed
                     ? ALLOT_ENOMEM
                     : allot_script_load(engine, text.bytes, text.len, name.bytes, options, count,
                                         &limits, report, out);
    allot__text_free(&text);
    allot__text_free(&name);
    return status;
}
