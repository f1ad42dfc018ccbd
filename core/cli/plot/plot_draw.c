/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plot_draw.c: lets gnuplot draw.
 *
 * It reads the script from a file without a name and writes the picture into a pipe: no name of
 * ours is ever a word of a shell or of gnuplot, and nothing is left when anything fails.
 */
#include "cli/plot/plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct child {
    FILE *script, *complaints;
    int from[2]; /* its standard output; -1: closed */
    pid_t pid;
} child;

static int no_gnuplot(allot__cli *cli, int error)
{
    char words[128];
    if (strerror_r(error, words, sizeof words) != 0)
        words[0] = '\0';
    return allot__cli_fail(cli, CLI_IO, "E-plot",
                           "apt-get install gnuplot-nox; --plot FILE.gp and --samples FILE "
                           "need none",
                           "--plot needs gnuplot, which cannot be run: %s", words);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Starts it; 0 or errno. */
static int start(child *it, char *const argv[])
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, fileno(it->script), STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, it->from[1], STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(it->complaints), STDERR_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_addclose(&actions, it->from[0]);
    if (error == 0)
        error = posix_spawnp(&it->pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Its whole output, and how it ended: 0 well, else errno; *code its status of wait(). */
static int collect(child *it, allot__text *out, int *code)
{
    char piece[65536];
    int error = 0;
    close_end(&it->from[1]);
    for (ssize_t len; (len = read(it->from[0], piece, sizeof piece)) != 0;) {
        if (len > 0)
            allot__text_add(out, piece, (size_t)len);
        else if (errno != EINTR) {
            error = errno;
            break;
        }
    }
    close_end(&it->from[0]);
    while (waitpid(it->pid, code, 0) < 0)
        if (errno != EINTR)
            return errno;
    return error;
}

/* gnuplot's message when it failed, on one line. */
static void read_complaints(FILE *file, char *buf, size_t size)
{
    rewind(file);
    size_t len = fread(buf, 1, size - 1, file), kept = 0;
    for (size_t i = 0; i < len; i++) {
        bool blank = buf[i] == '\n' || buf[i] == ' ' || buf[i] == '\t';
        if (!blank)
            buf[kept++] = buf[i];
        else if (kept > 0 && buf[kept - 1] != ' ')
            buf[kept++] = ' ';
    }
    buf[kept] = '\0';
}

static int fill(child *it, const allot__text *script)
{
    it->script = tmpfile();
    it->complaints = tmpfile();
    if (!it->script || !it->complaints)
        return errno;
    if (script && fwrite(script->bytes, 1, script->len, it->script) != script->len)
        return errno;
    if (fflush(it->script) != 0 || fseek(it->script, 0, SEEK_SET) != 0 || pipe(it->from) != 0)
        return errno;
    return 0;
}

static int judge(allot__cli *cli, child *it, int code, const allot__text *out)
{
    char complaints[400];
    if (out->failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0 && out->len > 0)
        return CLI_DONE;
    read_complaints(it->complaints, complaints, sizeof complaints);
    return allot__cli_fail(cli, CLI_IO, "E-plot", "--plot FILE.gp writes the script that it got",
                           "gnuplot failed: %s", complaints[0] != '\0' ? complaints : "no output");
}

int allot__plot_draw(allot__cli *cli, const allot__text *script, allot__text *out)
{
    static char name[] = "gnuplot", plain[] = "-d", input[] = "-", version[] = "--version";
    char *const draw[] = {name, plain, input, NULL}, *const ask[] = {name, version, NULL};
    allot__text answer = {.engine = cli->engine}, *to = out ? out : &answer;
    child it = {.from = {-1, -1}};
    int code = 0, error = fill(&it, script);
    if (error == 0)
        error = start(&it, script ? draw : ask);
    if (error == 0)
        error = collect(&it, to, &code);
    int result = error != 0 ? no_gnuplot(cli, error) : judge(cli, &it, code, to);
    close_end(&it.from[0]);
    close_end(&it.from[1]);
    if (it.script)
        fclose(it.script);
    if (it.complaints)
        fclose(it.complaints);
    allot__text_free(&answer);
    return result;
}
