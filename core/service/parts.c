/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* parts.c: what stands beside the truth, in the order of starting. */
#include "service/service.h"

const allot__part allot__parts[] = {
    {.name = NULL},
};
