/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* log.c: the service's log, in lines of text or JSON. */
#include "service/instance/log.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "service/instance/service.h"

static const char *const levels[] = {"error", "warning", "info", "debug"};

/* Writes to standard error, unless its reader has stopped reading: the loop never waits. */
static void put_line(allot__text *line)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    allot__text_add(line, "\n", 1);
    if (!line->failed && poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) {
        ssize_t written = write(STDERR_FILENO, line->bytes, line->len);
        (void)written;
    }
}

static void put_text(allot__text *line, const char *text)
{
    if (strpbrk(text, " \"\\=\n\t") || text[0] == '\0')
        allot__text_json(line, text);
    else
        allot__text_puts(line, text);
}

static void write_json(allot__text *line, const char *at, allot_log_level level,
                       const char *message, const allot__log_field *fields)
{
    allot__text_puts(line, "{");
    allot__text_member(line, "at", at);
    allot__text_member(line, "level", levels[level]);
    allot__text_member(line, "message", message);
    for (; fields && fields->name; fields++)
        if (fields->text)
            allot__text_member(line, fields->name, fields->text);
        else
            allot__text_number(line, fields->name, fields->number);
    allot__text_puts(line, "}");
}

static void write_text(allot__text *line, const char *at, allot_log_level level,
                       const char *message, const allot__log_field *fields)
{
    allot__text_printf(line, "%s %s: ", at, levels[level]);
    for (const char *c = message; *c != '\0'; c++)
        allot__text_add(line, (unsigned char)*c < 0x20 ? " " : c, 1);
    for (; fields && fields->name; fields++) {
        allot__text_printf(line, " %s=", fields->name);
        if (fields->text)
            put_text(line, fields->text);
        else
            allot__text_int(line, fields->number);
    }
}

void allot__log(allot_service *service, allot_log_level level, const char *message,
                const allot__log_field *fields)
{
    const allot_service_config *config = &service->config;
    allot__text line = {.engine = service->engine};
    char at[40];
    if ((int32_t)level > config->log_level)
        return;
    allot_time_text(allot__service_now(service), at, sizeof at);
    if (config->log_json)
        write_json(&line, at, level, message, fields);
    else
        write_text(&line, at, level, message, fields);
    if (!line.failed && config->log)
        config->log(config->log_ud, level, line.bytes);
    else if (!line.failed)
        put_line(&line);
    allot__text_free(&line);
}

void allot__log_report(allot_service *service, const allot_report *report)
{
    for (int32_t i = 0; report && i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        allot__log_field fields[6] = {{"code", finding->code, 0}};
        int count = 1;
        if (finding->file)
            fields[count++] = (allot__log_field){"file", finding->file, 0};
        if (finding->line > 0)
            fields[count++] = (allot__log_field){"line", NULL, finding->line};
        if (finding->path)
            fields[count++] = (allot__log_field){"path", finding->path, 0};
        if (finding->hint)
            fields[count++] = (allot__log_field){"hint", finding->hint, 0};
        allot__log(service, finding->severity == ALLOT_ERROR ? ALLOT_LOG_ERROR : ALLOT_LOG_WARNING,
                   finding->message, fields);
    }
}
