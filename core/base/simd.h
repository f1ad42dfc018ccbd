/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * simd.h: one binary for every x86-64.
 *
 * A function marked ALLOT__CLONES is compiled once for each level of the architecture and the
 * loader picks the best that the machine has. Sanitized builds have one version, since their
 * run-time does not work yet when the loader picks. Such a function is static: the loader's pick
 * is visible outside of the library otherwise.
 */
#ifndef ALLOT_BASE_SIMD_H
#define ALLOT_BASE_SIMD_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ALLOT__CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ALLOT__CLONES
#endif

/* For functions that ALLOT__CLONES functions call: inlined into each version. */
#if defined(__GNUC__)
#define ALLOT__INLINE static inline __attribute__((always_inline))
#else
#define ALLOT__INLINE static inline
#endif

int64_t allot__sum(const int32_t *values, int32_t count);

#endif
