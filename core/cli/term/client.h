/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* client.h: a service that runs elsewhere, asked line by line. */
#ifndef ALLOT_CLI_TERM_CLIENT_H
#define ALLOT_CLI_TERM_CLIENT_H

#include "cli/term/cli.h"

/* End it with allot__client_close, also after a failure. */
typedef struct allot__client {
    allot__cli *cli;
    const char *address;
    int fd;
    allot__text in; /* received bytes; those before `at` were read */
    size_t at;
} allot__client;

/* Connects to --socket (or ALLOT_SOCKET): "/path" or "host:port"; with the token in the file of
 * --token-file, if there is one. CLI_USAGE: no address is given; CLI_IO; CLI_NO: wrong token. */
int allot__client_open(allot__cli *cli, allot__client *out);
void allot__client_close(allot__client *client);
/* Sends a line, to which the end is added. CLI_IO. */
int allot__client_send(allot__client *client, const char *line, size_t len);
/* The next line, borrowed until the next call. Waits up to `wait` ms; below 0: without end. CLI_NO:
 * no line came (not reported); CLI_IO: the service is gone. */
int allot__client_line(allot__client *client, int wait, const char **line, size_t *len);
/* Asks and waits for the answer: its "result", JSON, borrowed until the next call. params: an
 * object, NULL: none. Skips notifications that come meanwhile. CLI_NO: the answer is an error,
 * which is reported, and for JSON also written; CLI_IO, CLI_INTERNAL. */
int allot__client_ask(allot__client *client, const char *method, const char *params, size_t len,
                      const char **result, size_t *result_len);
/* Opens the client, and asks for the plan and the state of one instant. CLI_IO: also if the service
 * refuses. */
int allot__client_state(allot__cli *cli, allot__client *client, const char **result, size_t *len);
/* A member of a JSON object: its value's text; NULL: it has none. The text is valid JSON. */
const char *allot__client_member(const char *text, size_t len, const char *name, size_t *out);
/* Adds the member of a JSON object, if it is a text; false: it is not. */
bool allot__client_text(allot__client *client, const char *object, size_t len, const char *name,
                        allot__text *out);

/* ---- Plan and state of a service, in place of files ------------------------------------------ */

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
