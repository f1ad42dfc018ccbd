/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* judge.h: what the properties that a policy declares say of a case. */
#ifndef ALLOT_SCRIPT_POLICY_JUDGE_H
#define ALLOT_SCRIPT_POLICY_JUDGE_H

#include "script/sandbox/script.h"

typedef struct allot__verdict {
    bool holds;
    char message[512]; /* what the function said where it does not; "": nothing */
} allot__verdict;

/* The script that a policy goes by; NULL: none. */
allot__script *allot__script_of(const allot_policy *policy);
/* Asks the policy's own property `i`, from 0, of a case: a copy of the table on top of `from`.
 * ESCRIPT, EBUDGET (report), ENOENT: there is no such, or it is one that the core knows. */
int allot__judge(allot__script *script, int32_t i, lua_State *from, allot__verdict *out,
                 allot_report *report);

#endif
