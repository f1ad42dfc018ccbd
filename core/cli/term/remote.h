/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * remote.h: the plan and the state of a running service, in place of files: --socket.
 */
#ifndef ALLOT_CLI_TERM_REMOTE_H
#define ALLOT_CLI_TERM_REMOTE_H

#include "cli/term/client.h"

/* A service's plan and state, of one instant. */
typedef struct allot__remote {
    allot__client client; /* whose buffer has `answer` */
    const char *address;
    const char *answer; /* {"plan": ..., "state": ...} */
    size_t answer_len;
    allot__text file;    /* the plan's name in the service; a string */
    allot__text plan;    /* its document */
    allot__text instead; /* the policy in place of the plan's own, a string; empty: none */
    allot__text state;   /* borrowed from `answer` */
} allot__remote;

/* Asks the service at --socket. End it with allot__remote_close, also after a failure. CLI_USAGE;
 * CLI_IO: also if the service refuses. */
int allot__remote_open(allot__cli *cli, allot__remote *out);
void allot__remote_close(allot__remote *live);
/* Loads a policy of the service by its name in the plan; ENOENT: the service lacks it. */
int allot__remote_load(allot__remote *live, const char *use, const char *plan_file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report);

#endif
