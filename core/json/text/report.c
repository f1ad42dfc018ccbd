/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report.c: a report as "allot/error/v1". */
#include <allot/json.h>

#include "json/text/writer.h"

static void write_number(allot__writer *writer, const char *key, int32_t number)
{
    if (number > 0)
        allot__write_integer(writer, key, number);
    else
        allot__write_string(writer, key, NULL);
}

static void write_finding(allot__writer *writer, const allot_diagnostic *finding)
{
    bool error = finding->severity == ALLOT_ERROR;
    allot__write_line(writer);
    allot__write_open(writer, NULL, '{');
    allot__write_string(writer, "file", finding->file);
    write_number(writer, "line", finding->line);
    write_number(writer, "col", finding->col);
    allot__write_string(writer, "code", finding->code);
    allot__write_string(writer, "message", finding->message);
    allot__write_string(writer, "hint", finding->hint);
    allot__write_string(writer, "severity", error ? "error" : "warning");
    allot__write_string(writer, "path", finding->path);
    write_number(writer, "width", finding->width);
    allot__write_string(writer, "source", finding->source);
    allot__write_close(writer, '}');
}

int allot_report_write(const allot_report *report, allot_sink sink, void *ud)
{
    char buf[4096];
    allot__writer writer = {.sink = sink, .ud = ud, .buf = buf, .size = sizeof buf};
    if (!report || !sink)
        return ALLOT_EUSAGE;
    allot__write_open(&writer, NULL, '{');
    allot__write_string(&writer, "schema", "allot/error/v1");
    allot__write_integer(&writer, "errors", allot_report_total(report, ALLOT_ERROR));
    allot__write_integer(&writer, "warnings", allot_report_total(report, ALLOT_WARNING));
    allot__write_open(&writer, "diagnostics", '[');
    for (int32_t i = 0; i < allot_report_count(report); i++)
        write_finding(&writer, allot_report_at(report, i));
    allot__write_close(&writer, ']');
    allot__write_close(&writer, '}');
    allot__write_raw(&writer, "\n", 1);
    return allot__write_end(&writer);
}
