/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report.h: limits and statuses, the engine with its allocator, and diagnostics. */
#ifndef ALLOT_REPORT_H
#define ALLOT_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* What stands between these two has C linkage in C++, too. */
#ifdef __cplusplus
#define ALLOT_C_BEGIN extern "C" {
#define ALLOT_C_END   }
#else
#define ALLOT_C_BEGIN
#define ALLOT_C_END
#endif

ALLOT_C_BEGIN

#if defined(__GNUC__)
#define ALLOT_API __attribute__((visibility("default")))
#else
#define ALLOT_API
#endif

#define ALLOT_VERSION_MAJOR 0
#define ALLOT_VERSION_MINOR 1
#define ALLOT_VERSION_PATCH 0
#define ALLOT_VERSION       "0.1.0"

/* The largest amount of slots, weight, rank or duration; attributes range over +/- this. */
#define ALLOT_AMOUNT_MAX 1000000000
/* No limit. */
#define ALLOT_NONE INT32_MAX
/* The parent of first-level consumers; also "no consumer". */
#define ALLOT_ROOT (-1)
/* In place of a group: every group. */
#define ALLOT_ALL (-1)
/* The most fills in a policy's quota, keys in an order, attributes, guards and requirements of a
 * policy. */
#define ALLOT_FILLS_MAX        16
#define ALLOT_KEYS_MAX         8
#define ALLOT_ATTRIBUTES_MAX   32 /* of consumers, and as many of tasks */
#define ALLOT_GUARDS_MAX       16
#define ALLOT_REQUIREMENTS_MAX 32
/* The most bytes of a consumer's or attribute's name (E-1). */
#define ALLOT_NAME_MAX 128

/* ---- Status -------------------------------------------------------------------------------- */

/* One list makes the codes, their names and their texts. */
#define ALLOT_STATUS_MAP(XX)                                                                       \
    XX(OK, 0, "done")                                                                              \
    XX(ENOMEM, -1, "out of memory")                                                                \
    XX(EUSAGE, -2, "the call is not allowed here or an argument is malformed")                     \
    XX(ERANGE, -3, "a number is out of range")                                                     \
    XX(ENAME, -4, "a name is malformed")                                                           \
    XX(EEXIST, -5, "the name is taken")                                                            \
    XX(ENOENT, -6, "nothing has that name")                                                        \
    XX(EINVALID, -7, "the plan or state is invalid")                                               \
    XX(EPOLICY, -8, "the policy is invalid")                                                       \
    XX(ESCRIPT, -9, "the policy failed while running")                                             \
    XX(EBUDGET, -10, "the policy ran past its budget")                                             \
    XX(EIO, -11, "a file could not be read or written")                                            \
    XX(EINTERNAL, -12, "an internal invariant is broken: please report it")

typedef enum allot_status {
#define ALLOT_STATUS_ENUM(name, code, text) ALLOT_##name = (code),
    ALLOT_STATUS_MAP(ALLOT_STATUS_ENUM)
#undef ALLOT_STATUS_ENUM
} allot_status;

/* "ENOMEM", and "out of memory". Never NULL; an unknown code gives "UNKNOWN". Static. */
ALLOT_API const char *allot_status_name(int status);
ALLOT_API const char *allot_status_text(int status);

/* The version of the linked library, as "0.1.0". Static. */
ALLOT_API const char *allot_version(void);

/* ---- Engine: the allocator and what is made from it ----------------------------------------- */

typedef struct allot_engine allot_engine;
typedef struct allot_report allot_report;
typedef struct allot_policy allot_policy;
typedef struct allot_plan allot_plan;
typedef struct allot_state allot_state;
typedef struct allot_decision allot_decision;

/*
 * The one memory hook, shaped like realloc:
 *  - ptr NULL: allocate new_size bytes (old_size is 0);
 *  - new_size 0: free ptr, which has old_size bytes, and return NULL;
 *  - else resize, keeping the contents; on failure return NULL and leave ptr as it was.
 * Blocks must be aligned for any type. The library calls the hook only on the engine's thread.
 */
typedef void *(*allot_alloc)(void *ud, void *ptr, size_t old_size, size_t new_size);

/* Makes an engine over `alloc` with its `ud`; alloc NULL: malloc, realloc and free. */
ALLOT_API int allot_engine_new(allot_alloc alloc, void *ud, allot_engine **out);
ALLOT_API void allot_engine_free(allot_engine *engine);

/* Calls the engine's hook, with the contract of allot_alloc. */
ALLOT_API void *allot_engine_alloc(allot_engine *engine, void *ptr, size_t old_size,
                                   size_t new_size);

/* ---- Report: diagnostics for people ---------------------------------------------------------- */

typedef enum allot_severity { ALLOT_ERROR = 1, ALLOT_WARNING = 2 } allot_severity;

/* One finding. Strings may be NULL if they do not apply, except code and message. */
typedef struct allot_diagnostic {
    allot_severity severity;
    const char *code;               /* "E-unknown-key"; stable, for tools */
    const char *file;               /* as the caller named it; NULL: not placed yet */
    int32_t line, col;              /* from 1; 0: unknown */
    int32_t width;                  /* columns to underline; 0: one */
    const char *path;               /* the place in a document or plan: "/a/b",
                                       "consumers[3].limit" */
    const char *message;            /* what was found and what is allowed */
    const char *hint;               /* the nearest known name, or the way out */
    const char *source;             /* the source line */
    int32_t consumer, group, field; /* the finding's consumer, group, column; -1: none */
    int32_t window;                 /* 1 + the plan's window with the fault; 0: none */
} allot_diagnostic;

/* A report keeps the first 50 errors and 50 warnings and counts the rest. */
ALLOT_API int allot_report_new(allot_engine *engine, allot_report **out);
ALLOT_API void allot_report_free(allot_report *report);
/* Copies the finding. report NULL: no effect. Out of memory: the finding is counted, but not kept.
 */
ALLOT_API void allot_report_add(allot_report *report, const allot_diagnostic *finding);
/* The same from a format: severity, code, and a printf message of at most 500 bytes. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
ALLOT_API void
allot_report_say(allot_report *report, allot_severity severity, const char *code,
                 const char *format, ...);
/* The number of findings kept, and the i-th (0 ...), borrowed until the report changes. */
ALLOT_API int32_t allot_report_count(const allot_report *report);
ALLOT_API const allot_diagnostic *allot_report_at(const allot_report *report, int32_t i);
/* All errors or warnings seen, also those beyond the 50 kept. */
ALLOT_API int64_t allot_report_total(const allot_report *report, allot_severity severity);
/* Gives finding i a place. Strings are copied; NULL or 0 leaves a member as it is. */
ALLOT_API int allot_report_place(allot_report *report, int32_t i, const char *file, int32_t line,
                                 int32_t col, int32_t width, const char *path, const char *source);
ALLOT_API void allot_report_clear(allot_report *report);

/* Paths of newcomers (plan.h), which readers of states and events list; clearing keeps them. Adds a
 * path, if it is new; report NULL: no effect. ENOMEM. */
ALLOT_API int allot_report_newcomer(allot_report *report, const char *path);
/* All paths, *count of them, in the order of adding; borrowed until another is added. */
ALLOT_API const char *const *allot_report_newcomers(const allot_report *report, int32_t *count);

/* ---- Names ----------------------------------------------------------------------------------- */

/* The nearest of `names` (n of them, NULL entries skipped) to `name` of `len` bytes by edit
 * distance, for "did you mean"; NULL: none is near. Borrowed from `names`. */
ALLOT_API const char *allot_nearest(const char *name, size_t len, const char *const *names,
                                    size_t n);

ALLOT_C_END

#endif
