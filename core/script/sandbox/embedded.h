/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* embedded.h: files that are built in, as embed.cmake writes them. */
#ifndef ALLOT_SCRIPT_SANDBOX_EMBEDDED_H
#define ALLOT_SCRIPT_SANDBOX_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

typedef struct allot__embedded {
    const char *name; /* as `require` has it: "allot.check.draw"; a policy's own */
    const char *text; /* ends with a NUL that is not counted */
    size_t len;
} allot__embedded;

/* lua/ and policies/, sorted by name. */
extern const allot__embedded allot__embedded_lua[];
extern const int32_t allot__embedded_lua_count;
extern const allot__embedded allot__embedded_policies[];
extern const int32_t allot__embedded_policies_count;
/* examples/peers/, sorted by name. */
extern const allot__embedded allot__embedded_peers[];
extern const int32_t allot__embedded_peers_count;
/* core/RULES.md alone. */
extern const allot__embedded allot__embedded_rules[];

#endif
