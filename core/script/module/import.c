/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* import.c: a plan from configuration files of LSF, by the tool lua/allot/import. */
#include <stdlib.h>
#include <string.h>

#include <allot/script.h>

#include "script/module/tool.h"
#include "script/module/module.h"
#include "script/sandbox/require.h"

/* Collects the tool's output until the tool is done, and passes on all of it, or nothing. */
typedef struct import {
    const allot_lsf_file *files;
    allot__text plan, notes; /* notes: diagnostics, each with its texts behind */
} import;

static void keep_plan(void *ud, const char *text, size_t len)
{
    allot__text_sink(&((import *)ud)->plan, text, len);
}

static int read_file(void *ud, const char *number, allot_sink sink, void *sink_ud, char *why)
{
    const allot_lsf_file *file = &((const import *)ud)->files[strtol(number, NULL, 10) - 1];
    (void)why;
    return file->len > 0 ? sink(sink_ud, file->text, file->len) : 0;
}

static void keep_note(void *ud, const allot_diagnostic *finding)
{
    const char *texts[] = {finding->code, finding->file, finding->message, finding->hint,
                           finding->source};
    allot__text *notes = &((import *)ud)->notes;
    allot__text_sink(notes, (const char *)finding, sizeof *finding);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            allot__text_sink(notes, texts[i], strlen(texts[i]) + 1);
}

static void pass_notes(const allot__text *notes, allot_lsf_note note, void *ud)
{
    const char *at = notes->bytes, *end = at + notes->len;
    while (at < end) {
        allot_diagnostic finding = {0};
        const char **texts[] = {&finding.code, &finding.file, &finding.message, &finding.hint,
                                &finding.source};
        memcpy(&finding, at, sizeof finding);
        at += sizeof finding;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            if (!*texts[i])
                continue;
            *texts[i] = at;
            at += strlen(at) + 1;
        }
        note(ud, &finding);
    }
}

static int run(allot_engine *engine, import *job, int32_t n, int *answer)
{
    const allot_tool_host host = {.ud = job, .out = keep_plan, .read = read_file};
    const allot__embedded *text = allot__embedded_find("allot.import.tool");
    const char **names = allot_engine_alloc(engine, NULL, 0, (size_t)(n + 1) * sizeof *names);
    if (!names)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        names[i] = job->files[i].name;
    const allot__tool tool = {text->name, text->text, text->len, "run", names, n, keep_note};
    int status = allot__tool_run(engine, &host, &tool, answer, NULL);
    allot_engine_alloc(engine, names, (size_t)(n + 1) * sizeof *names, 0);
    if (status == ALLOT_OK && (job->plan.failed || job->notes.failed))
        status = ALLOT_ENOMEM;
    return status == ALLOT_EINTERNAL ? ALLOT_ESCRIPT : status;
}

int allot_lsf_import(allot_engine *engine, const allot_lsf_file *files, int32_t n, allot_sink sink,
                     void *sink_ud, allot_lsf_note note, void *note_ud)
{
    if (!engine || (!files && n > 0) || n < 0 || !sink || !note)
        return ALLOT_EUSAGE;
import job = {files, {.engine = engine }, {.engine = engine } };
    int answer = 0, status = run(engine, &job, n, &answer);
    if (status == ALLOT_OK && answer == 0 && sink(sink_ud, job.plan.bytes, job.plan.len) != 0)
        status = ALLOT_EIO;
    if (status == ALLOT_OK)
        pass_notes(&job.notes, note, note_ud);
    allot__text_free(&job.plan);
    allot__text_free(&job.notes);
    return status == ALLOT_OK && answer != 0 ? ALLOT_EINVALID : status;
}
