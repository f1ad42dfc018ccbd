/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tool.h: tools written in Lua that come with the library: verbs of the command that think more
 * than they count.
 *
 * A tool is trusted: it runs in a state of its own with Lua's base, string, table, math and utf8
 * libraries, may require what is built in (`allot.core` too), and has no budget. What it reads and
 * writes goes through the host. It opens no file, starts no program and reads no clock by itself.
 */
#ifndef ALLOT_TOOL_H
#define ALLOT_TOOL_H

#include <allot/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In place of a reason why something failed, at most so many bytes with the NUL. */
#define ALLOT_TOOL_WHY_MAX 200

/*
 * What a tool can ask for, each with `ud`. Pointers are borrowed for the call. A function that may
 * fail returns ALLOT_OK, or another status with the reason, a string, in `why`. A function that is
 * NULL is not there: calling it from the tool is an error of the tool.
 */
typedef struct allot_tool_host {
    void *ud;
    /* host.out(text): part of the result. */
    void (*out)(void *ud, const char *text, size_t len);
    /* host.read(path): hands the file's bytes to the sink, piece by piece. */
    int (*read)(void *ud, const char *path, allot_sink sink, void *sink_ud,
                char why[ALLOT_TOOL_WHY_MAX]);
    /* host.write(path, text): the whole file, or nothing of it; folders are made. */
    int (*write)(void *ud, const char *path, const char *text, size_t len,
                 char why[ALLOT_TOOL_WHY_MAX]);
    /* host.list(path): hands each name in the directory to the sink, in any order. */
    int (*list)(void *ud, const char *path, allot_sink sink, void *sink_ud,
                char why[ALLOT_TOOL_WHY_MAX]);
    /* host.option(name): its value as a word, "" for a flag; NULL: it was not given. */
    const char *(*option)(void *ud, const char *name);
    /* host.progress(done, total, text): total 0: not known. */
    void (*progress)(void *ud, int64_t done, int64_t total, const char *text);
    /* host.clock(): microseconds since any moment, which never go back. NULL: host.clock() is nil,
     * and a tool that bounds its time by it works without a bound. */
    int64_t (*clock)(void *ud);
} allot_tool_host;

/*
 * Calls require("allot." .. module)[function](host, {args...}), where `host` is a table of the
 * functions above, and of host.say { severity = "error" or "warning", code, file, line, col, width,
 * path, message, hint, source }: a diagnostic for the report. The integer that the function returns
 * becomes *answer; nothing is 0. EINTERNAL: the tool failed, which the report says. ENOMEM.
 */
ALLOT_API int allot_tool_run(allot_engine *engine, const allot_tool_host *host, const char *module,
                             const char *function, const char *const *args, int32_t n, int *answer,
                             allot_report *report);

#ifdef __cplusplus
}
#endif

#endif
