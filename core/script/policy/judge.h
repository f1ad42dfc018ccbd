/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* judge.h: testing the properties that a policy declares on a case. */
#ifndef ALLOT_SCRIPT_POLICY_JUDGE_H
#define ALLOT_SCRIPT_POLICY_JUDGE_H

#include "script/sandbox/script.h"

typedef struct allot__verdict {
    bool holds;
    char message[512]; /* the function's text if the property does not hold; "": none */
} allot__verdict;

/* The script of a policy; NULL: none. */
allot__script *allot__script_of(const allot_policy *policy);
/* Tests the policy's own property `i`, from 0, on a case: a copy of the table on top of `from`.
 * ESCRIPT, EBUDGET (report), ENOENT: no such property, or one of the core's. */
int allot__judge(allot__script *script, int32_t i, lua_State *from, allot__verdict *out,
                 allot_report *report);

#endif
