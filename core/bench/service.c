/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service.c: a service in a process of its own, and its clients. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <allot/service.h>

enum { PIECE = 1 << 18 };

/* ---- The service ----------------------------------------------------------------------------- */

int allot__bench_folder(bench *it)
{
    const char *top = getenv("TMPDIR");
    snprintf(it->folder, sizeof it->folder, "%.40s/allot-bench-XXXXXX", top ? top : "/tmp");
    if (!mkdtemp(it->folder)) {
        int code = allot__cli_unwritten(it->cli, it->folder, errno);
        it->folder[0] = '\0';
        return code;
    }
    snprintf(it->socket, sizeof it->socket, "%s/sock", it->folder);
    allot__text_puts(&it->answer, it->folder);
    return CLI_DONE;
}

int allot__bench_limits(bench *it)
{
    allot_service_limits limits = {0};
    int status = allot_service_measure(it->cli->engine, it->folder, it->cli->report, &limits);
    allot__bench_number(it, limits.commit);
    allot__bench_number(it, limits.echo);
    return allot__cli_status(it->cli, status);
}

/* Of so many rows in the database that ALLOT_BENCH_STORE names. */
int allot__bench_commits(bench *it)
{
    const char *store = getenv("ALLOT_BENCH_STORE");
    allot_service_commits commits = {0};
    int status =
        allot_service_measure_store(it->cli->engine, store ? store : "",
                                    (int32_t)strtol(it->text, NULL, 10), it->cli->report, &commits);
    allot__bench_number(it, commits.store);
    allot__bench_number(it, commits.bare);
    return allot__cli_status(it->cli, status);
}

static void tell_ready(void *ud)
{
    allot__cli_write(*(const int *)ud, "", 1);
}

/* Runs the service; errors go to standard error. `how`: 'w', watching its files; 'n', deciding at
 * once, without debounce. */
static void run_service(bench *it, int how, int ready)
{
    char plan[80];
    allot__cli *cli = it->cli;
    allot_service_config config;
    snprintf(plan, sizeof plan, "%s/plan.json", it->folder);
    allot_service_config_init(&config);
    config.plan = plan;
    config.socket = it->socket;
    config.store = getenv("ALLOT_BENCH_STORE"); /* one of its own: it is written into */
    config.log_level = ALLOT_LOG_WARNING;
    config.watch = how == 'w';
    if (how == 'n')
        config.debounce = 0;
    int status = allot_service_serve(cli->engine, &config, cli->report, tell_ready, &ready);
    allot__cli_findings(cli);
    _exit(status == ALLOT_OK ? 0 : 1);
}

/* Runs service or readers in a process of its own, and waits until it is ready; returns the
 * process, or 0. */
static pid_t start(bench *it, void (*run)(bench *it, int how, int ready), int how)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        close(ready[0]);
        run(it, how, ready[1]);
    }
    close(ready[1]);
    ssize_t got = pid > 0 ? read(ready[0], &byte, 1) : -1;
    close(ready[0]);
    if (got != 1 && pid > 0)
        waitpid(pid, NULL, 0);
    return got == 1 ? pid : 0;
}

int allot__bench_serve(bench *it)
{
    it->service = start(it, run_service, *it->text);
    if (it->service == 0)
        return allot__cli_fail(it->cli, CLI_IO, "E-io", NULL, "the service did not start");
    allot__bench_number(it, it->service);
    allot__bench_number(it, (double)sysconf(_SC_CLK_TCK));
    return CLI_DONE;
}

/* ---- Peers ----------------------------------------------------------------------------------- */

int allot__bench_connect(bench *it)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path, it->socket, strlen(it->socket) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        if (fd >= 0)
            close(fd);
        return allot__cli_fail(it->cli, CLI_IO, "E-connection", NULL,
                               "the service does not answer");
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    it->peers[it->peer_count++] = (bench_peer){
        .fd = fd, .in = {.engine = it->cli->engine}, .out = {.engine = it->cli->engine}};
    return CLI_DONE;
}

int allot__bench_disconnect(bench *it)
{
    for (int i = 0; i < it->peer_count; i++) {
        close(it->peers[i].fd);
        allot__text_free(&it->peers[i].in);
        allot__text_free(&it->peers[i].out);
    }
    it->peer_count = 0;
    return CLI_DONE;
}

int allot__bench_send(bench *it)
{
    char *line;
    allot__text *out = &it->peers[strtol(it->text, &line, 10)].out;
    line++;
    allot__text_add(out, line, it->len - (size_t)(line - it->text));
    return allot__cli_status(it->cli, out->failed ? ALLOT_ENOMEM : ALLOT_OK);
}

static bool goes_on(ssize_t done)
{
    return done > 0 || (done < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool send_some(bench_peer *peer)
{
    ssize_t sent = 1;
    while (peer->sent < peer->out.len && sent > 0) {
        sent = write(peer->fd, peer->out.bytes + peer->sent, peer->out.len - peer->sent);
        peer->sent += sent > 0 ? (size_t)sent : 0;
    }
    if (peer->sent == peer->out.len)
        peer->out.len = peer->sent = 0;
    return goes_on(sent);
}

/* Moves whole lines to the answer, each behind the peer's number. */
static void take_lines(bench *it, int number)
{
    allot__text *in = &it->peers[number].in;
    char *line = in->bytes, *stop = line + in->len, *end;
    for (; line < stop && (end = memchr(line, '\n', (size_t)(stop - line))); line = end + 1) {
        allot__text_int(&it->answer, number);
        allot__text_add(&it->answer, " ", 1);
        allot__text_add(&it->answer, line, (size_t)(end + 1 - line));
    }
    in->len = (size_t)(stop - line);
    memmove(in->bytes, line, in->len);
}

/* Sends and receives, waiting up to `wait` ms for data. False: a connection is closed. */
static bool turn(bench *it, int wait)
{
    struct pollfd polls[BENCH_PEERS];
    bool good = true;
    for (int i = 0; i < it->peer_count; i++) {
        bench_peer *peer = &it->peers[i];
        good = send_some(peer) && good;
        polls[i] = (struct pollfd){.fd = peer->fd,
                                   .events = (short)(POLLIN | (peer->out.len > 0 ? POLLOUT : 0))};
    }
    poll(polls, (nfds_t)it->peer_count, wait);
    for (int i = 0; i < it->peer_count; i++) {
        allot__text *in = &it->peers[i].in;
        char *room = polls[i].revents & ~POLLOUT ? allot__text_room(in, PIECE) : NULL;
        ssize_t got = room ? read(polls[i].fd, room, PIECE) : 1;
        in->len += room && got > 0 ? (size_t)got : 0;
        good = goes_on(got) && !in->failed && good;
    }
    return good;
}

int allot__bench_turn(bench *it)
{
    if (!turn(it, (int)strtol(it->text, NULL, 10))) {
        allot__text_puts(&it->answer, "closed");
        return CLI_DONE;
    }
    for (int i = 0; i < it->peer_count; i++)
        if (it->peers[i].in.len > 0)
            take_lines(it, i);
    return CLI_DONE;
}

/* ---- Readers --------------------------------------------------------------------------------- */

static void ask(bench_peer *peer, int times)
{
    for (int i = 0; i < times; i++)
        allot__text_puts(&peer->out,
                         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"decisions\",\"params\":"
                         "{\"from\":1,\"most\":1000}}\n");
}

/* Drops received bytes; returns how many lines ended. */
static int drop_lines(allot__text *in)
{
    int count = 0;
    const char *at = in->bytes, *end;
    for (size_t left = in->len; left > 0 && (end = memchr(at, '\n', left)); at = end + 1) {
        left -= (size_t)(end + 1 - at);
        count++;
    }
    in->len = 0;
    return count;
}

/* Reads until it is killed or the service ends, with `ahead` unanswered requests on each
 * connection. */
static void run_readers(bench *it, int ahead, int ready)
{
    bool good = true;
    it->peer_count = 0;
    for (int i = 0; i < BENCH_READERS && good; i++) {
        good = allot__bench_connect(it) == CLI_DONE;
        if (good)
            ask(&it->peers[i], ahead);
    }
    if (good)
        allot__cli_write(ready, "", 1);
    while (good && turn(it, -1))
        for (int i = 0; i < it->peer_count; i++)
            ask(&it->peers[i], drop_lines(&it->peers[i].in));
    _exit(0);
}

static void end_readers(bench *it)
{
    if (it->readers > 0) {
        kill(it->readers, SIGKILL);
        waitpid(it->readers, NULL, 0);
    }
    it->readers = 0;
}

int allot__bench_readers(bench *it)
{
    int ahead = (int)strtol(it->text, NULL, 10);
    end_readers(it);
    if (ahead > 0)
        it->readers = start(it, run_readers, ahead);
    return ahead == 0 || it->readers > 0
               ? CLI_DONE
               : allot__cli_fail(it->cli, CLI_IO, "E-io", NULL, "no readers could be started");
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Removes the folder with all files of the service and the shapes. */
static void remove_folder(const bench *it)
{
    static const char *const names[] = {"plan.json",        "plan.json.db",      "plan.json.db-wal",
                                        "plan.json.db-shm", "plan.json.db-lock", "sock",
                                        "fair.lua"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", it->folder, names[i]);
        unlink(path);
    }
    rmdir(it->folder);
}

int allot__bench_end(bench *it)
{
    int status = 0;
    end_readers(it);
    allot__bench_disconnect(it);
    if (it->service > 0) {
        kill(it->service, SIGTERM);
        while (waitpid(it->service, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    if (it->folder[0] != '\0')
        remove_folder(it);
    return status == 0
               ? CLI_DONE
               : allot__cli_fail(it->cli, CLI_IO, "E-io", NULL, "the service did not end well");
}
