/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* embedded.h: Lua files that are built in, as embed.cmake writes them. */
#ifndef ALLOT_SCRIPT_SANDBOX_EMBEDDED_H
#define ALLOT_SCRIPT_SANDBOX_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

typedef struct allot__embedded {
    const char *name; /* by its path: "check.draw" */
    const char *text; /* ends with a NUL that is not counted */
    size_t len;
} allot__embedded;

/* Of lua/allot the language, what imports other systems' files, sessions, and tools; policies. */
extern const allot__embedded allot__embedded_modules[];
extern const int32_t allot__embedded_modules_count;
extern const allot__embedded allot__embedded_importers[];
extern const int32_t allot__embedded_importers_count;
extern const allot__embedded allot__embedded_desk[];
extern const int32_t allot__embedded_desk_count;
extern const allot__embedded allot__embedded_tools[];
extern const int32_t allot__embedded_tools_count;
extern const allot__embedded allot__embedded_policies[];
extern const int32_t allot__embedded_policies_count;

#endif
