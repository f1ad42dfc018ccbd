/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * serve_load.c: ten clients that send events at a fixed rate, and one subscriber.
 *
 * A leaf goes round: it demands what it owns, is granted it, then demands nothing and releases it.
 * An event is due at its time whether the service keeps up or not, and its latency is counted from
 * that time: a slow service does not get fewer events.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/serve.h"

enum {
    LEAVES = SERVE_BRANCHES * SERVE_LEAVES,
    OWN = LEAVES / SERVE_CLIENTS, /* leaves of a client */
    ENDS = SERVE_CLIENTS + 1,     /* and the subscriber */
    AHEAD = 1 << 16,              /* events of a client that may wait for their answers */
    PIECE = 1 << 20
};

/* A connection; of the subscriber without events. */
typedef struct end {
    int fd;
    char *in, *out; /* PIECE bytes each */
    size_t in_len, out_len, out_from;
    double *due; /* of AHEAD events, in a ring; when each was due */
    int64_t sent, answered;
    int32_t next;                          /* leaf to begin with */
    int32_t *granted, first, granted_last; /* leaves to end with, in a ring of OWN + 1 */
    int32_t releasing;                     /* a leaf that demands nothing now; -1: none */
} end;

typedef struct load {
    allot__cli *cli;
    serve_result *result;
    end ends[ENDS];
    double *waits; /* by leaf: since when it demands; 0: it does not */
    double *acknowledge, *decide;
    int64_t acknowledged, decided, room;
    bool failed; /* a connection broke */
} load;

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *take(load *it, size_t count, size_t size)
{
    void *block = allot_engine_alloc(it->cli->engine, NULL, 0, count * size);
    if (block)
        memset(block, 0, count * size);
    it->failed = it->failed || !block;
    return block;
}

static void give(load *it, void *block, size_t count, size_t size)
{
    if (block)
        allot_engine_alloc(it->cli->engine, block, count * size, 0);
}

static void make(load *it)
{
    it->room = (it->result->seconds + 1) * it->result->rate;
    it->acknowledge = take(it, (size_t)it->room, sizeof(double));
    it->decide = take(it, (size_t)it->room, sizeof(double));
    it->waits = take(it, LEAVES, sizeof(double));
    for (int i = 0; i < ENDS; i++) {
        end *one = &it->ends[i];
        *one = (end){.fd = -1, .releasing = -1};
        one->in = take(it, PIECE, 1);
        one->out = take(it, PIECE, 1);
        one->due = take(it, AHEAD, sizeof(double));
        one->granted = take(it, OWN + 1, sizeof(int32_t));
    }
}

static void drop(load *it)
{
    give(it, it->acknowledge, (size_t)it->room, sizeof(double));
    give(it, it->decide, (size_t)it->room, sizeof(double));
    give(it, it->waits, LEAVES, sizeof(double));
    for (int i = 0; i < ENDS; i++) {
        end *one = &it->ends[i];
        if (one->fd >= 0)
            close(one->fd);
        give(it, one->in, PIECE, 1);
        give(it, one->out, PIECE, 1);
        give(it, one->due, AHEAD, sizeof(double));
        give(it, one->granted, OWN + 1, sizeof(int32_t));
    }
}

/* ---- Sending --------------------------------------------------------------------------------- */

static void say(end *one, const char *method, int32_t leaf, int slots)
{
    one->out_len += (size_t)snprintf(
        one->out + one->out_len, PIECE - one->out_len,
        "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\",\"params\":{\"consumer\":"
        "\"/b%d/l%d\",\"slots\":%d}}\n",
        one->sent, method, (int)(leaf / SERVE_LEAVES), (int)(leaf % SERVE_LEAVES), slots);
}

/* The next event of a client: a release is what a demand of nothing was for. */
static void make_event(load *it, int client, double due)
{
    end *one = &it->ends[client];
    one->due[one->sent % AHEAD] = due;
    if (one->releasing >= 0) {
        say(one, "release", one->releasing, SERVE_OWNED);
        one->releasing = -1;
    } else if (one->first != one->granted_last) {
        one->releasing = one->granted[one->first];
        one->first = (one->first + 1) % (OWN + 1);
        say(one, "demand", one->releasing, 0);
    } else {
        int32_t leaf = client * OWN + one->next;
        one->next = (one->next + 1) % OWN;
        if (it->waits[leaf] == 0)
            it->waits[leaf] = due;
        say(one, "demand", leaf, SERVE_OWNED);
    }
    one->sent++;
}

static void flush(load *it, end *one)
{
    while (one->out_from < one->out_len) {
        ssize_t sent = write(one->fd, one->out + one->out_from, one->out_len - one->out_from);
        if (sent < 0) {
            it->failed = it->failed || (errno != EAGAIN && errno != EINTR);
            return;
        }
        one->out_from += (size_t)sent;
    }
    one->out_from = one->out_len = 0;
}

/* Events that are due by now, in turn of each client; one that is far behind gets none. */
static void send_due(load *it, int64_t *made, double began, double now)
{
    double per = 1.0 / (double)it->result->rate;
    int64_t until = (int64_t)((now - began) / per), all = it->result->rate * it->result->seconds;
    for (until = until < all ? until : all; *made < until; (*made)++) {
        int client = (int)(*made % SERVE_CLIENTS);
        const end *one = &it->ends[client];
        if (one->sent - one->answered >= AHEAD || one->out_len + 256 > PIECE)
            return;
        make_event(it, client, began + (double)*made * per);
    }
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void take_answer(load *it, end *one, const char *line, double now)
{
    if (strstr(line, "\"error\""))
        it->result->refused++;
    else if (it->acknowledged < it->room)
        it->acknowledge[it->acknowledged++] = now - one->due[one->answered % AHEAD];
    one->answered++;
}

static void take_grant(load *it, int32_t leaf, double now)
{
    end *one = &it->ends[leaf / OWN];
    if (leaf < 0 || leaf >= LEAVES || it->waits[leaf] == 0)
        return;
    if (it->decided < it->room)
        it->decide[it->decided++] = now - it->waits[leaf];
    it->waits[leaf] = 0;
    one->granted[one->granted_last] = leaf;
    one->granted_last = (one->granted_last + 1) % (OWN + 1);
}

/* Paths in `grants`, up to the list behind it. */
static void take_decision(load *it, char *line, double now)
{
    char *grants = strstr(line, "\"grants\"");
    if (!grants)
        return;
    it->result->decisions++;
    char *stop = strchr(grants, ']');
    if (stop)
        *stop = '\0';
    for (const char *at = grants; (at = strstr(at, "\"/b")); at++) {
        char *next;
        long branch = strtol(at + 3, &next, 10);
        if (next[0] == '/' && next[1] == 'l')
            take_grant(it, (int32_t)(branch * SERVE_LEAVES + strtol(next + 2, NULL, 10)), now);
        it->result->grants++;
    }
}

static void receive(load *it, int which)
{
    end *one = &it->ends[which];
    ssize_t got = read(one->fd, one->in + one->in_len, PIECE - 1 - one->in_len);
    if (got <= 0) {
        it->failed = it->failed || got == 0 || (errno != EAGAIN && errno != EINTR);
        return;
    }
    one->in_len += (size_t)got;
    double now = allot__bench_clock();
    char *line = one->in, *stop;
    while ((stop = memchr(line, '\n', one->in_len - (size_t)(line - one->in)))) {
        *stop = '\0';
        if (which < SERVE_CLIENTS)
            take_answer(it, one, line, now);
        else
            take_decision(it, line, now);
        line = stop + 1;
    }
    one->in_len -= (size_t)(line - one->in);
    memmove(one->in, line, one->in_len);
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void turn(load *it)
{
    struct pollfd polls[ENDS];
    for (int i = 0; i < ENDS; i++) {
        flush(it, &it->ends[i]);
        bool more = it->ends[i].out_from < it->ends[i].out_len;
        polls[i] =
            (struct pollfd){.fd = it->ends[i].fd, .events = (short)(POLLIN | (more ? POLLOUT : 0))};
    }
    poll(polls, ENDS, 1);
    for (int i = 0; i < ENDS; i++)
        if (polls[i].revents & (POLLIN | POLLHUP | POLLERR))
            receive(it, i);
}

static bool is_answered(const load *it)
{
    for (int i = 0; i < SERVE_CLIENTS; i++)
        if (it->ends[i].answered < it->ends[i].sent)
            return false;
    return true;
}

static void run(load *it, const serve_child *child)
{
    serve_result *result = it->result;
    int64_t made = 0, all = result->rate * result->seconds;
    double began = allot__bench_clock(), now = began, last = (double)result->seconds;
    double computed = allot__serve_computed(child->pid);
    result->memory[0] = allot__serve_memory(child->pid);
    while (!it->failed && (made < all || !is_answered(it)) && now - began < 2 * last + 30) {
        now = allot__bench_clock();
        send_due(it, &made, began, now);
        turn(it);
        if (result->memory[1] == 0 && now - began > last / 2)
            result->memory[1] = allot__serve_memory(child->pid);
    }
    result->took = allot__bench_clock() - began;
    result->load = (allot__serve_computed(child->pid) - computed) / result->took;
    result->memory[2] = allot__serve_memory(child->pid);
    result->sent = made;
    result->acknowledged = it->acknowledged;
    for (double until = now + 1; !it->failed && now < until; now = allot__bench_clock())
        turn(it); /* the last demands are decided soon */
    for (int i = 0; i < LEAVES; i++)
        result->undecided += it->waits[i] > 0;
}

static int connect_all(load *it, const serve_child *child)
{
    for (int i = 0; i < ENDS; i++) {
        it->ends[i].fd = allot__serve_connect(it->cli, child);
        if (it->ends[i].fd < 0)
            return CLI_IO;
        fcntl(it->ends[i].fd, F_SETFL, O_NONBLOCK);
    }
    end *subscriber = &it->ends[SERVE_CLIENTS];
    subscriber->out_len = (size_t)snprintf(
        subscriber->out, PIECE, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"subscribe\"}\n");
    return CLI_DONE;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static serve_times times_of(double *samples, int64_t count)
{
    serve_times times = {.count = count};
    if (count == 0)
        return times;
    qsort(samples, (size_t)count, sizeof *samples, by_size);
    times.half = samples[count / 2] * 1e3;
    times.most = samples[count - 1 - count / 100] * 1e3;
    times.worst = samples[count - 1] * 1e3;
    return times;
}

int allot__serve_load(allot__cli *cli, const serve_child *child, serve_result *out)
{
    load it = {.cli = cli, .result = out};
    make(&it);
    int code = it.failed ? allot__cli_status(cli, ALLOT_ENOMEM) : connect_all(&it, child);
    if (code == CLI_DONE) {
        run(&it, child);
        out->acknowledge = times_of(it.acknowledge, it.acknowledged);
        out->decide = times_of(it.decide, it.decided);
    }
    if (code == CLI_DONE && it.failed)
        code = allot__cli_fail(cli, CLI_IO, "E-connection", NULL,
                               "the service closed a connection under load");
    drop(&it);
    return code;
}
