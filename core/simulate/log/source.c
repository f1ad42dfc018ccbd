/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* source.c: lines of a log that comes in pieces, plain or compressed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "simulate/log/trace.h"

enum { PIECE = 64 * 1024, LINE_MAX_BYTES = 1024 * 1024, GZIP_WINDOW = 15 + 16 };

typedef struct stream {
    allot_engine *engine;
    allot_trace_source source;
    void *ud;
    const char *file;
    allot_report *report;
    z_stream zip;
    bool zipped, opened, inside; /* compressed; zlib works on it; in the middle of a member */
    bool begun, over;
    char *raw;   /* PIECE bytes: as they come */
    char *plain; /* PIECE bytes: uncompressed */
    size_t raw_count;
    allot__vector line; /* the current line, as far as it was read */
    int32_t number;
} stream;

void allot__log_say(allot_report *report, const allot_diagnostic *about, const char *format, ...)
{
    char message[600];
    allot_diagnostic said = *about;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    said.message = message;
    said.severity = about->severity != 0 ? about->severity : ALLOT_ERROR;
    said.consumer = said.group = said.field = -1;
    allot_report_add(report, &said);
}

void allot__line_fault(allot__reader *reader, const char *code, int32_t col, int32_t width,
                       const char *hint, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    reader->invalid = true;
    allot__log_say(reader->report,
                   &(allot_diagnostic){.code = code,
                                       .file = reader->trace->file,
                                       .line = reader->line,
                                       .col = col,
                                       .width = width,
                                       .hint = hint,
                                       .source = reader->text},
                   "%s", message);
}

static int refuse(const stream *it, const char *code, const char *message, const char *hint)
{
    allot__log_say(it->report, &(allot_diagnostic){.code = code, .file = it->file, .hint = hint},
                   "%s", message);
    return ALLOT_EINVALID;
}

/* ---- zlib's memory is the engine's: before each block stands its size ------------------------ */

typedef union sized {
    size_t bytes;
    max_align_t align;
} sized;

static voidpf zip_alloc(voidpf engine, uInt items, uInt size)
{
    size_t bytes = (size_t)items * size + sizeof(sized);
    sized *block = allot__new(engine, bytes, 1);
    if (!block)
        return Z_NULL;
    block->bytes = bytes;
    return block + 1;
}

static void zip_free(voidpf engine, voidpf address)
{
    sized *block = (sized *)address - 1;
    allot__free(engine, block, block->bytes, 1);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static int keep(stream *it, const char *text, size_t len)
{
    if (it->line.count + len > LINE_MAX_BYTES)
        return refuse(it, "E-trace-line", "a line has more than 1 MiB", "is it a log at all?");
    if (allot__vector_room(it->engine, &it->line, len + 1, 1) != ALLOT_OK)
        return ALLOT_ENOMEM;
    memcpy((char *)it->line.items + it->line.count, text, len);
    it->line.count += len;
    return ALLOT_OK;
}

static int end_line(stream *it, allot__line_sink each, void *ud)
{
    char *text = it->line.items;
    size_t len = it->line.count;
    if (len > 0 && text[len - 1] == '\r')
        len--;
    it->number++;
    if (len > 0)
        text[len] = '\0';
    it->line.count = 0;
    return len > 0 ? each(ud, text, len, it->number) : ALLOT_OK;
}

static int take_lines(stream *it, const char *text, size_t len, allot__line_sink each, void *ud)
{
    int status = ALLOT_OK;
    while (len > 0 && status == ALLOT_OK) {
        const char *end = memchr(text, '\n', len);
        size_t part = end ? (size_t)(end - text) : len;
        status = keep(it, text, part);
        if (status == ALLOT_OK && end)
            status = end_line(it, each, ud);
        part += end != NULL;
        text += part;
        len -= part;
    }
    return status;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int unzip_failed(stream *it, int result)
{
    char message[160];
    if (result == Z_MEM_ERROR)
        return ALLOT_ENOMEM;
    snprintf(message, sizeof message, "the compressed data is damaged: %.100s",
             it->zip.msg != NULL ? it->zip.msg : zError(result));
    return refuse(it, "E-gzip", message, "fetch it again");
}

/* Uncompresses the bytes at hand, member by member. */
static int unzip(stream *it, allot__line_sink each, void *ud)
{
    int status = ALLOT_OK;
    it->zip.next_in = (Bytef *)it->raw;
    it->zip.avail_in = (uInt)it->raw_count;
    while (status == ALLOT_OK) {
        it->zip.next_out = (Bytef *)it->plain;
        it->zip.avail_out = PIECE;
        int result = inflate(&it->zip, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return unzip_failed(it, result);
        it->inside = result != Z_STREAM_END;
        status = take_lines(it, it->plain, PIECE - it->zip.avail_out, each, ud);
        if (result == Z_STREAM_END && it->zip.avail_in > 0)
            inflateReset(&it->zip);
        else if (it->zip.avail_in == 0 && it->zip.avail_out > 0)
            break;
    }
    if (!it->inside)
        inflateReset(&it->zip);
    return status;
}

/* Fills the raw piece; at the end of the source it->over. */
static int fill(stream *it)
{
    it->raw_count = 0;
    /* Two bytes show the format. */
    do {
        int64_t got = it->source(it->ud, it->raw + it->raw_count, PIECE - it->raw_count);
        if (got < 0)
            return ALLOT_EIO;
        it->over = got == 0;
        it->raw_count += (size_t)got;
    } while (!it->over && !it->begun && it->raw_count < 2);
    return ALLOT_OK;
}

static int begin(stream *it)
{
    it->begun = true;
    const unsigned char *raw = (const unsigned char *)it->raw;
    it->zipped = it->raw_count >= 2 && raw[0] == 0x1f && raw[1] == 0x8b;
    if (!it->zipped)
        return ALLOT_OK;
    it->zip = (z_stream){.zalloc = zip_alloc, .zfree = zip_free, .opaque = it->engine};
    int result = inflateInit2(&it->zip, GZIP_WINDOW);
    it->opened = result == Z_OK;
    return it->opened ? ALLOT_OK : unzip_failed(it, result);
}

static int pour(stream *it, allot__line_sink each, void *ud)
{
    int status = ALLOT_OK;
    while (status == ALLOT_OK && !it->over) {
        status = fill(it);
        if (status == ALLOT_OK && !it->begun)
            status = begin(it);
        if (status == ALLOT_OK && it->raw_count > 0)
            status =
                it->zipped ? unzip(it, each, ud) : take_lines(it, it->raw, it->raw_count, each, ud);
    }
    if (status == ALLOT_OK && it->zipped && it->inside)
        return refuse(it, "E-gzip", "the compressed data ends in its middle", "fetch it again");
    if (status == ALLOT_OK && it->line.count > 0)
        status = end_line(it, each, ud);
    return status;
}

int allot__read_lines(allot_engine *engine, allot_trace_source source, void *ud, const char *file,
                      allot_report *report, allot__line_sink each, void *each_ud)
{
    stream it = {.engine = engine, .source = source, .ud = ud, .file = file, .report = report};
    it.raw = allot__new(engine, PIECE, 1);
    it.plain = allot__new(engine, PIECE, 1);
    int status = it.raw != NULL && it.plain ? pour(&it, each, each_ud) : ALLOT_ENOMEM;
    if (it.opened)
        inflateEnd(&it.zip);
    allot__free(engine, it.raw, PIECE, 1);
    allot__free(engine, it.plain, PIECE, 1);
    allot__vector_free(engine, &it.line);
    return status;
}
