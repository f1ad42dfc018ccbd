/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* try.h: calls in a row, of which none is made behind one that failed. */
#ifndef ALLOT_TEST_SUPPORT_TRY_H
#define ALLOT_TEST_SUPPORT_TRY_H

#include "test/support/oom.h"

/* Makes a call, once more where memory failed, unless the variable `status` tells of a failure. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (status == ALLOT_OK) {                                                                  \
            OOM_RETRY(status, call);                                                               \
        }                                                                                          \
    } while (0)

#endif
