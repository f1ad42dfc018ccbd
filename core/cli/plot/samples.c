/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* samples.c: every change of a simulation as a line of CSV, as it comes. */
#include "cli/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are gathered before a write. */
#define PIECE 65536

struct allot__samples {
    allot__cli *cli;
    const char *path;
    allot__text part; /* the file that is written until it is whole */
    allot__text gathered, policy;
    const allot_plan *plan;
    int fd, error; /* fd -1: not open */
};

static int failed(allot__samples *samples)
{
    if (samples->gathered.failed || samples->part.failed || samples->policy.failed)
        return allot__cli_status(samples->cli, ALLOT_ENOMEM);
    return allot__cli_unwritten(samples->cli, samples->path, samples->error);
}

static void flush(allot__samples *samples)
{
    if (samples->error == 0)
        samples->error =
            allot__cli_write(samples->fd, samples->gathered.bytes, samples->gathered.len);
    samples->gathered.len = 0;
}

int allot__samples_begin(allot__cli *cli, const char *path, allot__samples **out)
{
    allot__samples *samples = allot_engine_alloc(cli->engine, NULL, 0, sizeof *samples);
    if (!samples)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    *samples = (allot__samples){.cli = cli,
                                .path = path,
                                .part = {.engine = cli->engine},
                                .gathered = {.engine = cli->engine},
                                .policy = {.engine = cli->engine},
                                .fd = -1};
    allot__text_printf(&samples->part, "%s.%ld.part", path, (long)getpid());
    if (!samples->part.failed) {
        samples->fd = open(samples->part.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        samples->error = samples->fd < 0 ? errno : 0;
    }
    allot__text_puts(&samples->gathered,
                     "policy,at,group,consumer,demand,allocated,busy,reclaimed,killed\n");
    int code = samples->fd < 0 || samples->gathered.failed ? failed(samples) : CLI_DONE;
    if (code == CLI_DONE)
        *out = samples;
    else
        allot__samples_free(samples);
    return code;
}

/* Quoted where it must be (RFC 4180). */
static void put_field(allot__text *out, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        allot__text_puts(out, text);
        return;
    }
    allot__text_puts(out, "\"");
    for (; *text != '\0'; text++)
        allot__text_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    allot__text_puts(out, "\"");
}

void allot__samples_panel(allot__samples *samples, const allot_plan *plan, const char *name)
{
    samples->plan = plan;
    samples->policy.len = 0;
    put_field(&samples->policy, name);
}

void allot__samples_add(allot__samples *samples, const allot_sample *sample)
{
    allot__text *out = &samples->gathered, path = {.engine = samples->cli->engine};
    allot__text_path(&path, samples->plan, sample->consumer);
    allot__text_add(&path, "", 1);
    out->failed = out->failed || path.failed;
    allot__text_add(out, samples->policy.bytes, samples->policy.len);
    allot__text_printf(out, ",%" PRId64 ",", sample->at);
    put_field(out, allot_plan_group_name(samples->plan, sample->group));
    allot__text_puts(out, ",");
    if (!path.failed)
        put_field(out, path.bytes);
    allot__text_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
                       sample->demand, sample->allocated, sample->busy, sample->reclaimed,
                       sample->killed);
    allot__text_free(&path);
    if (out->len >= PIECE)
        flush(samples);
}

int allot__samples_end(allot__samples *samples)
{
    flush(samples);
    if (samples->error == 0 && !samples->gathered.failed && !samples->policy.failed) {
        if (close(samples->fd) != 0)
            samples->error = errno;
        samples->fd = -1;
        if (samples->error == 0 && rename(samples->part.bytes, samples->path) == 0)
            return CLI_DONE;
        if (samples->error == 0)
            samples->error = errno;
        unlink(samples->part.bytes);
    }
    return failed(samples);
}

void allot__samples_free(allot__samples *samples)
{
    if (samples->fd >= 0) {
        close(samples->fd);
        unlink(samples->part.bytes);
    }
    allot__text_free(&samples->part);
    allot__text_free(&samples->gathered);
    allot__text_free(&samples->policy);
    allot_engine_alloc(samples->cli->engine, samples, sizeof *samples, 0);
}
