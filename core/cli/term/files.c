/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* files.c: files and streams, read and written whole; and lines of policies, shown as they come. */
#include "base/report.h"
#include "cli/term/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *allot__cli_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool allot__cli_ends_in(const char *name, const char *end)
{
    size_t len = strlen(name), tail = strlen(end);
    return len > tail && strcmp(name + len - tail, end) == 0;
}

bool allot__cli_is_log(const char *path)
{
    return allot__cli_ends_in(path, ".swf") || allot__cli_ends_in(path, ".jsonl") ||
           allot__cli_ends_in(path, ".swf.gz") || allot__cli_ends_in(path, ".jsonl.gz");
}

const char *allot__cli_words(int error, char words[CLI_WHY])
{
    if (strerror_r(error, words, CLI_WHY) != 0)
        words[0] = '\0';
    return words;
}

static int fail(allot__cli *cli, const char *path, const char *what, int error)
{
    char words[CLI_WHY], message[CLI_WHY + 32];
    snprintf(message, sizeof message, "%s: %s", what, allot__cli_words(error, words));
    allot_diagnostic finding = allot__error("E-io", message);
    finding.file = allot__cli_file_name(path);
    allot_report_add(cli->report, &finding);
    return CLI_IO;
}

int allot__cli_unread(allot__cli *cli, const char *path, int error)
{
    return fail(cli, path, "cannot be read", error);
}

int allot__cli_unwritten(allot__cli *cli, const char *path, int error)
{
    return fail(cli, path, "cannot be written", error);
}

int allot__cli_drain(const char *path, allot_sink sink, void *ud)
{
    char piece[65536];
    bool standard = strcmp(path, "-") == 0;
    int error = 0, fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    for (ssize_t len; error == 0 && (len = read(fd, piece, sizeof piece)) != 0;)
        if (len < 0)
            error = errno == EINTR ? 0 : errno;
        else if (sink(ud, piece, (size_t)len) != 0)
            error = ENOMEM;
    if (!standard)
        close(fd);
    return error;
}

int allot__cli_read(allot__cli *cli, const char *path, allot__text *out)
{
    out->engine = cli->engine;
    int error = allot__cli_drain(path, allot__text_sink, out);
    if (out->failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    return error != 0 ? allot__cli_unread(cli, path, error) : CLI_DONE;
}

int allot__cli_first_line(allot__cli *cli, const char *path, allot__text *out)
{
    int code = allot__cli_read(cli, path, out);
    allot__text_add(out, "", 1);
    if (out->failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    out->len = strcspn(out->bytes, "\r\n");
    out->bytes[out->len] = '\0';
    return code;
}

int allot__cli_write(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, bytes, len);
        if (written >= 0) {
            bytes += written;
            len -= (size_t)written;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void allot__cli_make_folders(allot_engine *engine, const char *path, int mode)
{
    allot__text name = {.engine = engine};
    allot__text_add(&name, path, strlen(path) + 1);
    if (!name.failed)
        for (char *slash = strchr(name.bytes + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(name.bytes, (mode_t)mode);
            *slash = '/';
        }
    allot__text_free(&name);
}

int allot__cli_replace(allot_engine *engine, const char *path, const char *bytes, size_t len)
{
    allot__text name = {.engine = engine};
    allot__text_printf(&name, "%s.%ld.part", path, (long)getpid());
    if (name.failed)
        return ENOMEM;
    int error = 0, fd = open(name.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        error = errno;
    if (error == 0)
        error = allot__cli_write(fd, bytes, len);
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(name.bytes, path) != 0)
        error = errno;
    if (error != 0 && fd >= 0)
        unlink(name.bytes);
    allot__text_free(&name);
    return error;
}

int allot__cli_put_file(allot__cli *cli, const char *path, const char *bytes, size_t len)
{
    int error = allot__cli_replace(cli->engine, path, bytes, len);
    if (error == ENOMEM)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    return error == 0 ? CLI_DONE : allot__cli_unwritten(cli, path, error);
}

bool allot__cli_colored(allot__color color, int fd)
{
    if (color != CLI_COLOR_AUTO)
        return color == CLI_COLOR_ALWAYS;
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if ((no != NULL && *no != '\0') || (term != NULL && strcmp(term, "dumb") == 0))
        return false;
    return isatty(fd);
}

int allot__cli_width(int fd)
{
    struct winsize size;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* ---- --trace: what policies print and log, on standard error, as it comes ----------------------
 */

/* The most lines in all; a script's own limit is for one load or one batch. */
enum { LINES_MAX = 1000 };

static void put_line(allot__cli *cli, const char *chunk, int32_t line, const char *level,
                     const char *text)
{
    allot__text out = {.engine = cli->engine};
    allot__text_puts_safe(&out, chunk, strlen(chunk));
    if (line > 0)
        allot__text_printf(&out, ":%" PRId32, line);
    allot__text_printf(&out, ": %s: ", level);
    allot__text_puts_safe(&out, text, strlen(text));
    allot__text_puts(&out, "\n");
    if (!out.failed)
        allot__cli_write(STDERR_FILENO, out.bytes, out.len);
    allot__text_free(&out);
}

static void hear(void *ud, const char *chunk, int32_t line, const char *level, const char *text)
{
    allot__cli *cli = ud;
    if (cli->traced++ < LINES_MAX)
        put_line(cli, chunk, line, level, text);
}

void allot__cli_trace(allot__cli *cli, allot_script_limits *limits)
{
    *limits = (allot_script_limits){0};
    if (cli->options.trace) {
        limits->say = hear;
        limits->say_ud = cli;
    }
}

void allot__cli_trace_end(allot__cli *cli)
{
    if (cli->traced > LINES_MAX)
        dprintf(STDERR_FILENO, "allot: log: (%" PRId64 " more lines were left out)\n",
                cli->traced - LINES_MAX);
    cli->traced = 0;
}
