/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rpc.h: JSON-RPC 2.0: a line in, an answer out.
 *
 * Errors are the standard's: -32700 (not JSON), -32600 (not a request), -32601 (no such method),
 * -32602 (params), -32603 (internal); and -32000 plus a status of allot/report.h (ENOENT is -32006)
 * when the books refuse. `data` has code, path and hint, if any.
 */
#ifndef ALLOT_SERVICE_WIRE_RPC_H
#define ALLOT_SERVICE_WIRE_RPC_H

#include <allot/service.h>

#include "service/events/event.h"
#include "service/instance/who.h"
#include "base/text.h"
#include "service/wire/token.h"

enum {
    ALLOT__RPC_PARSE = -32700,
    ALLOT__RPC_REQUEST = -32600,
    ALLOT__RPC_METHOD = -32601,
    ALLOT__RPC_PARAMS = -32602,
    ALLOT__RPC_INTERNAL = -32603,
    ALLOT__RPC_SERVER = -32000,      /* - status */
    ALLOT__RPC_UNAVAILABLE = -32050, /* this service has no such component */
    ALLOT__RPC_FORBIDDEN = -32051,   /* `auth` first */
    ALLOT__RPC_BUSY = -32052,        /* stopping, or too much is waiting */
    ALLOT__RPC_ALONE = -32053,       /* not in a batch */
    ALLOT__RPC_STANDBY = -32054      /* another service leads, or may by now: E-standby */
};
/* Most requests in a batch, and bytes in a line. */
#define ALLOT__RPC_BATCH_MOST 10000
#define ALLOT__RPC_LINE_MOST  (1024 * 1024)
#define ALLOT__RPC_LONG_MOST  (32 * 1024 * 1024)

struct allot__connection;

/* One request being answered. */
typedef struct allot__request {
    allot_service *service;
    struct allot__connection *peer; /* NULL: the embedder's */
    const char *method;             /* borrowed, as all texts here */
    size_t method_len;
    const char *params; /* JSON; NULL: none */
    size_t params_len;
    const char *id; /* JSON as it came; NULL: a notification, or the caller wants no answer */
    size_t id_len;
    allot__who *who; /* whose call it is; NULL: the embedder's */
    bool changes;    /* it would change something, so its refusal is noted */
    bool in_batch;
    int64_t batch;       /* answer once the store's batch of that number is on disk; 0: at once */
    allot__text *answer; /* gets {"jsonrpc": ..., "id": ..., ["result": value | "error": ...]} */
    /* Receives a later answer, where there is no peer. */
    void (*tell)(void *ud, const char *line, size_t len);
    void *tell_ud;
    size_t mark;   /* where the answer begins in `answer` */
    bool not_yet;  /* a question that must wait for its turn */
    bool held;     /* a call that must wait until the hold on the books ends, or the plan grew */
    bool answered; /* or will be: see allot__rpc_later */
} allot__request;

typedef struct allot__method {
    const char *name;
    /* Answers by allot__rpc_begin ... allot__rpc_end, by allot__rpc_error, or later. */
    void (*run)(allot__request *call);
    allot__role least; /* NOBODY: may be called before `auth` */
    bool free;         /* does not use the books, so it runs during a hold */
    bool about;        /* is about the service itself, so one that stands by answers it, too */
    /* Runs a line longer than other methods' (up to ALLOT__RPC_LONG_MOST bytes), which was not
     * parsed yet, and may take its buffer; NULL: no such lines. */
    void (*run_long)(allot__request *call, allot__text *line);
} allot__method;

/* Begin and end an answer; between them, write its value into the returned buffer (which drops the
 * value if no answer is wanted). */
allot__text *allot__rpc_begin(allot__request *call);
void allot__rpc_end(allot__request *call);
/* Answers with an error. `fault` (NULL: none) gives data. */
void allot__rpc_error(allot__request *call, int code, const char *message,
                      const allot__error *fault);
/* Whether the caller's role allows this; if not, an error is the answer. */
bool allot__rpc_allowed(allot__request *call, allot__role least);
/* Answer with the error of a fault, or of a status and its report. */
void allot__rpc_fault(allot__request *call, const allot__error *fault);
void allot__rpc_report(allot__request *call, int status, const allot_report *report);
void allot__rpc_no_memory(allot__request *call);

/* Later answers: a handler takes a reply, and ends it with allot__reply_end. `size` states whether
 * the answer may be long: a client may have one long or some short answers pending; its further
 * input waits for them. In a batch, EUSAGE: the call was answered with ALLOT__RPC_ALONE. ENOMEM is
 * answered, too. */
typedef enum allot__answer { ALLOT__ANSWER_SHORT = 1, ALLOT__ANSWER_LONG = 64 } allot__answer;
#define ALLOT__ANSWERS_MOST 64
typedef struct allot__reply {
    allot__request call;       /* a copy of the handler's, to answer into */
    struct allot__reply *next; /* for lists of the owner */
    allot__text answer;
    char *id;
    uint64_t peer;  /* its number; 0: none; a peer that left gets no answer */
    allot__who who; /* as it was */
    allot__answer size;
} allot__reply;
int allot__rpc_later(allot__request *call, allot__answer size, allot__reply **out);
/* Sets the call's id, if it was not known when the reply was taken. ENOMEM. */
int allot__reply_name(allot__reply *reply, const char *id, size_t len);
void allot__reply_end(allot__reply *reply);
/* Ends it with the out-of-memory error. */
void allot__reply_no_memory(allot__reply *reply);

/* Reads a method's params. `fields`, at most 16, ends with a row without name. false: the call
 * was answered with the error. */
typedef struct allot__param {
    const char *name;
    allot_member_type type; /* TEXT, WHOLE, FLAG, or a name: CONSUMER, QUEUE, ... */
    bool required;
    int64_t least, most; /* of WHOLE */
    /* Results. */
    bool given;
    const char *text; /* until the next call reads its params */
    int64_t whole;
    int32_t number; /* of a name; of FLAG 0, 1 */
} allot__param;
bool allot__params_read(allot__request *call, allot__param *fields);

/* Whether the service may answer for the cluster: it leads, and no other can lead by now. */
bool allot__rpc_leads(const allot_service *service);
/* Answers that another does, and where. */
void allot__rpc_standby(allot__request *call);

/* Finds id, method and params of a request, valid JSON. Returns the error, or NULL. Any thread. */
const char *allot__rpc_take(allot__request *call, const char *line, size_t len);
/* Where and why a line is not JSON. */
void allot__rpc_garbage(allot_engine *engine, const char *line, size_t len, char out[400]);
/* The method of a line that begins with these bytes, if its lines may be long: `method` stands
 * before `params`. NULL: not such a method, or not known yet. */
const allot__method *allot__rpc_long(const allot_service *service, const char *line, size_t len);
/* Runs a line (without its end) from `from` (service, peer, tell): writes the answer to `answer`,
 * which stays empty if none is wanted; *batch: the batch to wait for. ENOMEM: no effect beyond the
 * answered part. NOT_YET: a question whose peer may not ask in this turn of the loop; no effect.
 * HELD: a hold has the books (instance/hold.h), or the plan grows; no effect. */
#define ALLOT__RPC_NOT_YET 1
#define ALLOT__RPC_HELD    2
int allot__rpc_line(const allot__request *from, const char *line, size_t len, allot__text *answer,
                    int64_t *batch);

#endif
