/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hands.c: programs with a time limit; waiting for the first of a time, a signal and a service. */
#define _GNU_SOURCE /* pipe2 */
#include "cli/term/hands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 100000, ERRORS_MAX = 64 * 1024, OUTPUT_MAX = 1 << 28 };

extern char **environ;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- A program ------------------------------------------------------------------------------- */

typedef struct running {
    pid_t pid;
    int out[2], err[2]; /* pipes: their ends for reading, and for writing; -1: closed */
    allot__text *streams[2];
} running;

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(running *it)
{
    for (int end = 0; end < 2; end++) {
        close_end(&it->out[end]);
        close_end(&it->err[end]);
    }
}

/* Signals that this process blocks shall reach the program. */
static int spawn(running *it, char **argv)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, it->out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, it->err[1], STDERR_FILENO);
    int error = posix_spawnp(&it->pid, argv[0], &files, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* More than `most` bytes of a stream are read, and dropped. */
static void drain(int *fd, allot__text *to, size_t most)
{
    char piece[65536];
    ssize_t got = read(*fd, piece, sizeof piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0)
        close_end(fd);
    else if (to->len < most)
        allot__text_add(to, piece, (size_t)got < most - to->len ? (size_t)got : most - to->len);
}

/* Reads both streams until they end; false: they were still open at that time. */
static bool gather(running *it, int64_t until)
{
    while (it->out[0] >= 0 || it->err[0] >= 0) {
        struct pollfd fds[] = {{.fd = it->out[0], .events = POLLIN},
                               {.fd = it->err[0], .events = POLLIN}};
        int64_t left = until - now_ms();
        if (left <= 0)
            return false;
        if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
            return false;
        if (fds[0].revents != 0)
            drain(&it->out[0], it->streams[0], OUTPUT_MAX);
        if (fds[1].revents != 0)
            drain(&it->err[0], it->streams[1], ERRORS_MAX);
    }
    return true;
}

/* Waits for the end; a program that closed its streams and stays is late, too. */
static int reap(const running *it, bool in_time, int64_t until, bool *late)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status = 0;
    pid_t ended = 0;
    while (in_time && (ended = waitpid(it->pid, &status, WNOHANG)) == 0 && now_ms() < until)
        nanosleep(&pause, NULL);
    *late = ended == 0;
    if (*late) {
        kill(-it->pid, SIGKILL);
        while (waitpid(it->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    return status;
}

static void say_end(allot__text *out, int status, bool late)
{
    if (late)
        allot__text_puts(out, "late");
    else if (WIFSIGNALED(status))
        allot__text_printf(out, "signal %d", WTERMSIG(status));
    else
        allot__text_printf(out, "exit %d", WEXITSTATUS(status));
}

static char **words_of(allot_engine *engine, const char *words, size_t len, int *count)
{
    for (size_t i = 0; i < len; i++)
        *count += words[i] == '\0';
    if (*count == 0 || *count > WORDS_MAX)
        return NULL;
    char **argv = allot_engine_alloc(engine, NULL, 0, ((size_t)*count + 1) * sizeof *argv);
    for (int i = 0; argv && i < *count; i++, words += strlen(words) + 1)
        argv[i] = (char *)words;
    if (argv)
        argv[*count] = NULL;
    return argv;
}

static void run(running *it, char **argv, int limit, allot__text *out)
{
    char why[CLI_WHY];
    bool late = false;
    int64_t until = now_ms() + limit;
    int error = spawn(it, argv);
    close_end(&it->out[1]);
    close_end(&it->err[1]);
    if (error != 0) {
        allot__text_printf(out, "missing %s", allot__cli_words(error, why));
    } else {
        bool in_time = gather(it, until);
        int status = reap(it, in_time, until, &late);
        say_end(out, status, late);
    }
    allot__text_add(out, "", 1);
    allot__text_add(out, it->streams[1]->bytes, it->streams[1]->len);
    allot__text_add(out, "", 1);
    allot__text_add(out, it->streams[0]->bytes, it->streams[0]->len);
}

int allot__hands_run(allot__cli *cli, int limit, const char *words, size_t len, allot__text *out)
{
    allot__text texts[2] = {{.engine = cli->engine}, {.engine = cli->engine}};
    running it = {.out = {-1, -1}, .err = {-1, -1}, .streams = {&texts[0], &texts[1]}};
    char why[CLI_WHY];
    int count = 0, code = CLI_DONE;
    char **argv = words_of(cli->engine, words, len, &count);
    if (!argv)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    if (pipe2(it.out, O_CLOEXEC) != 0 || pipe2(it.err, O_CLOEXEC) != 0)
        code = allot__cli_fail(cli, CLI_IO, "E-io", NULL, "%.200s cannot be run: %s", argv[0],
                               allot__cli_words(errno, why));
    else
        run(&it, argv, limit, out);
    close_all(&it);
    out->failed |= texts[0].failed || texts[1].failed;
    allot__text_free(&texts[0]);
    allot__text_free(&texts[1]);
    allot_engine_alloc(cli->engine, argv, ((size_t)count + 1) * sizeof *argv, 0);
    return code;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

int allot__hands_signals(void)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &ending, NULL) != 0)
        return -1;
    return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

int allot__hands_wait(allot__client *client, int signals, int wait, allot__text *out)
{
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN}, {.fd = client->fd, .events = POLLIN}};
    const char *line;
    size_t len;
    if (poll(fds, 2, wait) <= 0)
        return CLI_DONE;
    if (fds[0].revents != 0) {
        allot__text_puts(out, "quit");
        return CLI_DONE;
    }
    int code = allot__client_line(client, 0, &line, &len);
    if (code == CLI_DONE) {
        allot__text_add(out, line, len);
    } else if (code == CLI_IO) {
        allot__client_close(client);
        allot__text_puts(out, "lost");
    }
    return CLI_DONE;
}

/* ---- The service manager --------------------------------------------------------------------- */

void allot__hands_notify(const char *text, size_t len)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t size = path ? strlen(path) : 0;
    if (size < 2 || size >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    memcpy(to.sun_path, path, size);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    (void)!sendto(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&to,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size));
    close(fd);
}
