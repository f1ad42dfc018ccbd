/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tool.h: verbs of the command that are written in Lua and come with the library (tools).
 *
 * A tool is trusted: it runs in a Lua state of its own with Lua's base, string, table, math and
 * utf8 libraries, may require the built-in modules (`allot.core`, too), and has no budget. It reads
 * and writes through the host; it opens no file, starts no program and reads no clock by itself.
 */
#ifndef ALLOT_TOOL_H
#define ALLOT_TOOL_H

#include <allot/json.h>

ALLOT_C_BEGIN

/* The most bytes of a reason for a failure, with the NUL. */
#define ALLOT_TOOL_WHY_MAX 200

/*
 * Functions that a tool can call, each with `ud`. Pointers are borrowed for the call. A function
 * that may fail returns ALLOT_OK, or another status with the reason, a string, in `why`. If a
 * function is NULL, a tool that calls it fails.
 */
typedef struct allot_tool_host {
    void *ud;
    /* host.out(text): part of the result. */
    void (*out)(void *ud, const char *text, size_t len);
    /* host.read(path): passes the file's bytes to the sink, piece by piece. */
    int (*read)(void *ud, const char *path, allot_sink sink, void *sink_ud,
                char why[ALLOT_TOOL_WHY_MAX]);
    /* host.write(path, text): writes the whole file, or nothing; makes its folders. */
    int (*write)(void *ud, const char *path, const char *text, size_t len,
                 char why[ALLOT_TOOL_WHY_MAX]);
    /* host.list(path): passes each name in the directory to the sink, in any order; that of a
     * directory ends in a slash. */
    int (*list)(void *ud, const char *path, allot_sink sink, void *sink_ud,
                char why[ALLOT_TOOL_WHY_MAX]);
    /* host.option(name): the option's value as a word, "" for a flag; NULL: it was not given. */
    const char *(*option)(void *ud, const char *name);
    /* host.progress(done, total, text): total 0: unknown. */
    void (*progress)(void *ud, int64_t done, int64_t total, const char *text);
    /* host.clock(): microseconds since any moment, which never go back. NULL: host.clock() is nil,
     * and a tool that bounds its time by it works without a bound. */
    int64_t (*clock)(void *ud);
    /* host.call(name, text): what this host alone can do, by its name; passes the answer to the
     * sink. The tool gets another status than ALLOT_OK as a number, behind the reason. */
    int (*call)(void *ud, const char *name, const char *text, size_t len, allot_sink sink,
                void *sink_ud, char why[ALLOT_TOOL_WHY_MAX]);
    /* What host.rows reads, of tools that show a decision; NULL: none. Borrowed. */
    const allot_decision *decision;
} allot_tool_host;

/*
 * Calls require("allot." .. module)[function](host, {args...}), where `host` is a table of the
 * functions above, and of host.say { severity = "error" or "warning", code, file, line, col, width,
 * path, message, hint, source }: a diagnostic for the report. *answer becomes the integer that the
 * function returns, or 0. EINTERNAL (report): the tool failed. ENOMEM.
 */
ALLOT_API int allot_tool_run(allot_engine *engine, const allot_tool_host *host, const char *module,
                             const char *function, const char *const *args, int32_t n, int *answer,
                             allot_report *report);

ALLOT_C_END

#endif
