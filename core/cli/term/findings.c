/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* findings.c: adds findings to the report; lua/allot/text/findings.lua shows them. */
#include "base/report.h"
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int allot__cli_fail(allot__cli *cli, int code, const char *id, const char *hint, const char *format,
                    ...)
{
    char message[500];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    allot_diagnostic finding = allot__error(id, message);
    finding.hint = hint;
    allot_report_add(cli->report, &finding);
    return code;
}

static int exit_status(int status)
{
    switch (status) {
    case ALLOT_OK:
        return CLI_DONE;
    case ALLOT_EINVALID:
    case ALLOT_EPOLICY:
        return CLI_INVALID;
    case ALLOT_ESCRIPT:
    case ALLOT_EBUDGET:
        return CLI_SCRIPT;
    case ALLOT_EIO:
        return CLI_IO;
    default:
        return CLI_INTERNAL;
    }
}

int allot__cli_status(allot__cli *cli, int status)
{
    int code = exit_status(status);
    if (code != CLI_DONE && allot_report_total(cli->report, ALLOT_ERROR) == 0)
        return allot__cli_fail(cli, code, allot_status_name(status), NULL, "%s",
                               allot_status_text(status));
    return code;
}

void allot__cli_warnings_json(const allot_report *report, allot__text *out)
{
    const char *between = "";
    allot__text_puts(out, "[");
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (finding->severity != ALLOT_WARNING)
            continue;
        allot__text_printf(out, "%s{\"file\": ", between);
        allot__text_json(out, finding->file);
        allot__text_printf(out, ", \"line\": %" PRId32 ", \"col\": %" PRId32 ", \"code\": ",
                           finding->line, finding->col);
        allot__text_json(out, finding->code);
        allot__text_puts(out, ", \"message\": ");
        allot__text_json(out, finding->message);
        allot__text_puts(out, ", \"hint\": ");
        allot__text_json(out, finding->hint);
        allot__text_puts(out, "}");
        between = ", ";
    }
    allot__text_puts(out, "]");
}
