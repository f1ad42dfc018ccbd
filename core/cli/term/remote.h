/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * remote.h: the plan and the state of a running service, in place of files: --socket.
 */
#ifndef ALLOT_CLI_TERM_REMOTE_H
#define ALLOT_CLI_TERM_REMOTE_H

#include "cli/term/client.h"

/* A policy, by its name in the plan. */
typedef struct allot__remote_policy {
    allot__text name, text; /* the name is a string */
} allot__remote_policy;

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
    allot__remote_policy *policies;
    size_t count, room;
    allot_policy_loader files;  /* for what is not among the policies */
    allot_script_limits limits; /* of the policies */
} allot__remote;

/* Asks the service at --socket. End it with allot__remote_close, also after a failure. CLI_USAGE;
 * CLI_IO, also where the service refuses. */
int allot__remote_open(allot__cli *cli, allot__remote *out);
void allot__remote_close(allot__remote *live);
/* A loader that takes policies from the service, and all else from `files`; both must outlive it.
 */
allot_policy_loader allot__remote_loader(allot__remote *live, const allot_policy_loader *files);

/* allot__cli_decide about the live state, under the plan of that file; NULL: the live plan. */
int allot__remote_decide(allot__cli *cli, const char *plan, allot__documents *docs);

#endif
