/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rpc.h: JSON-RPC 2.0: a line in, an answer out.
 *
 * Errors are the standard's: -32700 (no JSON), -32600 (no request), -32601 (no such method), -32602
 * (params), -32603 (internal); and -32000 + a status of allot/report.h (so ENOENT is -32006) for
 * what the books refuse. `data` has code, path and hint where there are any.
 */
#ifndef ALLOT_SERVICE_WIRE_RPC_H
#define ALLOT_SERVICE_WIRE_RPC_H

#include <allot/service.h>

#include "service/events/event.h"
#include "base/text.h"

enum {
    ALLOT__RPC_PARSE = -32700,
    ALLOT__RPC_REQUEST = -32600,
    ALLOT__RPC_METHOD = -32601,
    ALLOT__RPC_PARAMS = -32602,
    ALLOT__RPC_INTERNAL = -32603,
    ALLOT__RPC_SERVER = -32000,      /* - status */
    ALLOT__RPC_UNAVAILABLE = -32050, /* this service has no such component */
    ALLOT__RPC_FORBIDDEN = -32051,   /* `auth` first */
    ALLOT__RPC_BUSY = -32052,        /* stopping, or too much waits */
    ALLOT__RPC_ALONE = -32053        /* not in a batch */
};
/* At most so many requests in a batch, and bytes in a line. */
#define ALLOT__RPC_BATCH_MOST 10000
#define ALLOT__RPC_LINE_MOST  (1024 * 1024)
#define ALLOT__RPC_LONG_MOST  (32 * 1024 * 1024)

struct allot__connection;

/* One request while it is answered. */
typedef struct allot__request {
    allot_service *service;
    struct allot__connection *peer; /* NULL: the embedder's */
    const char *method;             /* borrowed, as all texts here */
    size_t method_len;
    const char *params; /* JSON; NULL: none */
    size_t params_len;
    const char *id; /* JSON as it came; NULL: a notification, or the caller wants no answer */
    size_t id_len;
    bool in_batch;
    int64_t batch;       /* answer once the store's batch of that number is on disk; 0: at once */
    allot__text *answer; /* gets {"jsonrpc": ..., "id": ..., ["result": value | "error": ...]} */
    /* Whom an answer that comes later is told, where there is no peer. */
    void (*tell)(void *ud, const char *line, size_t len);
    void *tell_ud;
    size_t mark;   /* where the answer begins in it */
    bool not_yet;  /* a question that has to wait for its turn */
    bool held;     /* what has to wait until nobody holds the books */
    bool answered; /* or will be: see allot__rpc_later */
} allot__request;

typedef struct allot__method {
    const char *name;
    /* Answers by allot__rpc_begin ... allot__rpc_end, by allot__rpc_error, or later. */
    void (*run)(allot__request *call);
    bool open; /* may be called before `auth` */
    bool free; /* reads and changes no books, and is run while somebody holds them */
    /* Of one whose line may have up to ALLOT__RPC_LONG_MOST bytes: runs a longer line than others
     * have, which nobody has looked at, and may take its buffer; NULL: it has none. */
    void (*run_long)(allot__request *call, allot__text *line);
} allot__method;

/* Begins the answer, behind which a value is to be written into the buffer that it returns (which
 * drops it when nobody wants one); and ends it. */
allot__text *allot__rpc_begin(allot__request *call);
void allot__rpc_end(allot__request *call);
/* Answers with an error. `fault` (NULL: none) gives data. */
void allot__rpc_error(allot__request *call, int code, const char *message,
                      const allot__error *fault);
/* The error of a status and its fault or report. */
void allot__rpc_fault(allot__request *call, const allot__error *fault);
void allot__rpc_report(allot__request *call, int status, const allot_report *report);
void allot__rpc_no_memory(allot__request *call);

/* For answers that come later: a handler takes a reply, which ends with allot__reply_end. It says
 * whether its answer may be long: a client is owed one such, or some short ones, at once, and waits
 * for them before anything else that it says is run. In a batch, EUSAGE: the call is answered with
 * ALLOT__RPC_ALONE. ENOMEM likewise is answered. */
typedef enum allot__answer { ALLOT__ANSWER_SHORT = 1, ALLOT__ANSWER_LONG = 64 } allot__answer;
#define ALLOT__ANSWERS_MOST 64
typedef struct allot__reply {
    allot__request call;       /* to answer into, as the handler had */
    struct allot__reply *next; /* whoever has it may list it */
    allot__text answer;
    char *id;
    uint64_t peer; /* its number; 0: none; who is gone is not told */
    allot__answer size;
} allot__reply;
int allot__rpc_later(allot__request *call, allot__answer size, allot__reply **out);
/* Whose call it is, where that was not known when it was taken. ENOMEM. */
int allot__reply_name(allot__reply *reply, const char *id, size_t len);
void allot__reply_end(allot__reply *reply);
/* Ends with the error that there is no memory. */
void allot__reply_no_memory(allot__reply *reply);

/* Members of params, one level deep: how a method reads what it takes. `fields` ends with a row
 * without name. false: the call is answered with what is wrong. */
typedef struct allot__param {
    const char *name;
    allot_json_kind kind; /* TEXT, WHOLE, TRUE (either boolean) */
    bool required;
    int64_t least, most; /* of WHOLE */
    /* What was found. */
    bool given;
    const char *text; /* from the engine: ended by allot__params_free */
    int64_t whole;    /* of TRUE: 0, 1 */
} allot__param;
bool allot__params_read(allot__request *call, allot__param *fields);
void allot__params_free(allot__request *call, allot__param *fields);

/* Takes a request apart that is known to be valid JSON: its id, method and params. What is wrong
 * with it, or NULL. Any thread may. */
const char *allot__rpc_take(allot__request *call, const char *line, size_t len);
/* The method of a line of which these are the first bytes, if its line may be long: it comes before
 * the params. NULL: it is none, or nobody can tell. */
const allot__method *allot__rpc_long(const allot_service *service, const char *line, size_t len);
/* A line without its end, from whom `from` says (service, peer, tell): answers into `answer`, which
 * stays empty when nobody wants one, and says with *batch when it may be sent. ENOMEM: the line had
 * no effect beyond what was answered. NOT_YET: it asks, and its peer may not in this turn of the
 * loop: it had no effect. HELD: nor had it, as somebody holds the books (instance/hold.h). */
#define ALLOT__RPC_NOT_YET 1
#define ALLOT__RPC_HELD    2
int allot__rpc_line(const allot__request *from, const char *line, size_t len, allot__text *answer,
                    int64_t *batch);

#endif
