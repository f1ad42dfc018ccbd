/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report.c: a report as "allot/error/v1". */
#include <allot/json.h>

#include "base/text.h"

static void write_number(allot__text *out, const char *key, int32_t number)
{
    if (number > 0)
        allot__text_number(out, key, number);
    else
        allot__text_string(out, key, NULL);
}

static void write_finding(allot__text *out, const allot_diagnostic *finding)
{
    bool error = finding->severity == ALLOT_ERROR;
    allot__text_line(out);
    allot__text_open(out, NULL, "{");
    allot__text_string(out, "file", finding->file);
    write_number(out, "line", finding->line);
    write_number(out, "col", finding->col);
    allot__text_string(out, "code", finding->code);
    allot__text_string(out, "message", finding->message);
    allot__text_string(out, "hint", finding->hint);
    allot__text_string(out, "severity", error ? "error" : "warning");
    allot__text_string(out, "path", finding->path);
    write_number(out, "width", finding->width);
    allot__text_string(out, "source", finding->source);
    allot__text_puts(out, "}");
}

int allot_report_write(const allot_report *report, allot_sink sink, void *ud)
{
    char buf[4096];
    allot__text out = {.sink = sink, .ud = ud, .bytes = buf, .capacity = sizeof buf};
    if (!report || !sink)
        return ALLOT_EUSAGE;
    allot__text_open(&out, NULL, "{");
    ALLOT__MEMBERS(&out, "schema errors warnings", "allot/error/v1",
                   allot_report_total(report, ALLOT_ERROR),
                   allot_report_total(report, ALLOT_WARNING));
    allot__text_open(&out, "diagnostics", "[");
    for (int32_t i = 0; i < allot_report_count(report); i++)
        write_finding(&out, allot_report_at(report, i));
    allot__text_puts(&out, "]");
    allot__text_puts(&out, "}");
    allot__text_puts(&out, "\n");
    return allot__text_end(&out);
}
