/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* swf.c: lines of the Standard Workload Format. */
#include <string.h>

#include "simulate/log/trace.h"

enum {
    JOB,
    SUBMIT,
    WAIT,
    RUN,
    PROCESSORS,
    CPU,
    MEMORY,
    REQUESTED_PROCESSORS,
    REQUESTED_TIME,
    REQUESTED_MEMORY,
    STATUS,
    USER,
    GROUP,
    APPLICATION,
    QUEUE,
    PARTITION,
    PRECEDING,
    THINK,
    FIELDS
};

/* The most that a field may have, and whether it may have decimals. */
static const struct {
    const char *name;
    int64_t most;
    bool decimal;
} fields[FIELDS] = {
    [JOB] = {"the job's number", INT32_MAX - 1, false},
    [SUBMIT] = {"the time of submission", (int64_t)1 << 40, true},
    [WAIT] = {"the waiting time", ALLOT_AMOUNT_MAX, true},
    [RUN] = {"the run time", ALLOT_AMOUNT_MAX, true},
    [PROCESSORS] = {"the number of processors", ALLOT_AMOUNT_MAX, false},
    [CPU] = {"the processor time", INT64_MAX / 10 - 1, true},
    [MEMORY] = {"the memory", INT64_MAX / 10 - 1, true},
    [REQUESTED_PROCESSORS] = {"the requested processors", ALLOT_AMOUNT_MAX, false},
    [REQUESTED_TIME] = {"the requested time", ALLOT_AMOUNT_MAX, true},
    [REQUESTED_MEMORY] = {"the requested memory", INT64_MAX / 10 - 1, true},
    [STATUS] = {"the status", 100, false},
    [USER] = {"the user", INT32_MAX - 1, false},
    [GROUP] = {"the group", INT32_MAX - 1, false},
    [APPLICATION] = {"the application", INT32_MAX - 1, false},
    [QUEUE] = {"the queue", INT32_MAX - 1, false},
    [PARTITION] = {"the partition", INT32_MAX - 1, false},
    [PRECEDING] = {"the preceding job", INT32_MAX - 1, false},
    [THINK] = {"the think time", ALLOT_AMOUNT_MAX, true},
};

static bool blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* ---- Header comments ------------------------------------------------------------------------- */

static int take_header(allot__reader *reader)
{
    allot_trace *trace = reader->trace;
    const char *key = reader->text + 1, *end = reader->text + reader->len;
    while (key < end && blank(*key))
        key++;
    const char *colon = memchr(key, ':', (size_t)(end - key));
    if (!colon)
        return ALLOT_OK;
    const char *value = colon + 1;
    while (value < end && blank(*value))
        value++;
    while (end > value && blank(end[-1]))
        end--;
    int32_t name = allot__strings_put(trace->engine, &trace->names, key, (size_t)(colon - key));
    int32_t of = allot__strings_put(trace->engine, &trace->names, value, (size_t)(end - value));
    allot__header *header =
        name < 0 || of < 0 ? NULL : allot__push(trace->engine, &trace->keys, sizeof *header);
    if (!header)
        return ALLOT_ENOMEM;
    *header = (allot__header){name, of};
    return ALLOT_OK;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

typedef struct number {
    int64_t value;
    bool sound; /* the field is a number; allowed decimals are cut */
    bool too_big;
} number;

static number read_number(const char *text, size_t len, int field)
{
    number out = {.sound = true};
    size_t at = text[0] == '-';
    bool decimal = false, any = false;
    for (; at < len && out.sound; at++) {
        if (text[at] == '.' && !decimal && fields[field].decimal && any) {
            decimal = true;
            continue;
        }
        out.sound = digit(text[at]);
        any = any || out.sound;
        if (!decimal && out.sound && !out.too_big)
            out.value = out.value * 10 + (text[at] - '0');
        out.too_big = out.too_big || out.value > fields[field].most;
    }
    out.sound = out.sound && any;
    /* "-1", also as "-1.0", is unknown; "-0" is 0. */
    if (text[0] == '-')
        out.value = -out.value;
    return out;
}

static int64_t take_field(allot__reader *reader, size_t start, size_t len, int field)
{
    const char *text = reader->text + start;
    number got = read_number(text, len, field);
    int32_t col = (int32_t)start + 1, width = (int32_t)len;
    int shown = len < 40 ? (int)len : 40;
    if (!got.sound)
        allot__line_fault(reader, "E-swf", col, width, NULL, "%s is a %snumber, not \"%.*s\"",
                          fields[field].name, fields[field].decimal ? "" : "whole ", shown, text);
    else if (got.value < -1)
        allot__line_fault(reader, "E-swf", col, width, "-1 is what is not known",
                          "%s is %.*s, at least -1 is allowed", fields[field].name, shown, text);
    else if (got.too_big)
        allot__line_fault(reader, "E-swf", col, width, NULL, "%s is %.*s, at most %lld is allowed",
                          fields[field].name, shown, text, (long long)fields[field].most);
    return got.value;
}

/* The next field from *at on: where it begins, and its length; 0: there is none. */
static size_t next_field(const allot__reader *reader, size_t *at, size_t *start)
{
    while (*at < reader->len && blank(reader->text[*at]))
        (*at)++;
    *start = *at;
    while (*at < reader->len && !blank(reader->text[*at]))
        (*at)++;
    return *at - *start;
}

/* The line's fields. Reports only the first fault, so that a file of another format does not fill
 * the report. */
static bool take_fields(allot__reader *reader, int64_t *values)
{
    size_t at = 0, start[FIELDS], len[FIELDS];
    int count = 0;
    bool before = reader->invalid;
    for (size_t from, width; (width = next_field(reader, &at, &from)) > 0; count++)
        if (count < FIELDS) {
            start[count] = from;
            len[count] = width;
        }
    reader->invalid = false;
    if (count != FIELDS)
        allot__line_fault(reader, "E-swf", 0, 0,
                          "a job of the Standard Workload Format has 18, -1 where a value is not "
                          "known",
                          "the line has %d fields, %d are needed", count, FIELDS);
    for (int i = 0; i < FIELDS && !reader->invalid; i++)
        values[i] = take_field(reader, start[i], len[i], i);
    bool sound = !reader->invalid;
    reader->invalid = reader->invalid || before;
    return sound;
}

static int add_job(allot__reader *reader, const int64_t *values)
{
    allot_trace *trace = reader->trace;
    allot__line *line = allot__push(trace->engine, &trace->lines, sizeof *line);
    if (!line)
        return ALLOT_ENOMEM;
    int64_t slots = values[PROCESSORS] > 0 ? values[PROCESSORS] : values[REQUESTED_PROCESSORS];
    *line = (allot__line){
        .at = values[SUBMIT],
        .id = (int32_t)values[JOB],
        .line = reader->line,
        .slots = (int32_t)slots,
        .run = (int32_t)values[RUN],
        .requested = (int32_t)values[REQUESTED_TIME],
        .waited = (int32_t)values[WAIT],
        .priority = ALLOT__NO_PRIORITY,
        .user = (int32_t)values[USER],
        .group = (int32_t)values[GROUP],
        .queue = (int32_t)values[QUEUE],
        .partition = (int32_t)values[PARTITION],
        .application = (int32_t)values[APPLICATION],
        .consumer = -1,
        .session = -1,
        .kind = ALLOT_RECORD_SUBMIT,
        .status = values[STATUS] < 0 ? 255 : (uint8_t)values[STATUS],
    };
    return ALLOT_OK;
}

/* Is the line a part (status 2, 3 or 4) of the job before, which another line lists as a whole? */
static bool is_part(const allot_trace *trace, const int64_t *values)
{
    const allot__line *lines = trace->lines.items;
    return values[STATUS] >= 2 && values[STATUS] <= 4 && trace->lines.count > 0 &&
           lines[trace->lines.count - 1].id == values[JOB];
}

int allot__swf_line(allot__reader *reader)
{
    int64_t values[FIELDS];
    size_t at = 0;
    while (at < reader->len && blank(reader->text[at]))
        at++;
    if (at == reader->len)
        return ALLOT_OK;
    if (reader->text[at] == ';') {
        reader->text += at;
        reader->len -= at;
        return take_header(reader);
    }
    if (!take_fields(reader, values))
        return ALLOT_OK;
    if (is_part(reader->trace, values)) {
        reader->trace->others++;
        return ALLOT_OK;
    }
    if (values[JOB] < 0 || values[SUBMIT] < 0) {
        allot__line_fault(reader, "E-swf", 0, 0, NULL, "%s is not known",
                          fields[values[JOB] < 0 ? JOB : SUBMIT].name);
        return ALLOT_OK;
    }
    return add_job(reader, values);
}
