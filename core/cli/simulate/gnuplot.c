/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * gnuplot.c: runs gnuplot.
 *
 * gnuplot reads the script from a nameless file and writes the picture into another: no name of
 * ours is ever a word of a shell or of gnuplot, and no file is left after a failure.
 */
#include "cli/simulate/simulate.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SCRIPT, PICTURE, COMPLAINTS, FILES }; /* its standard streams */

/* Runs it; 0, and its status of wait(), or errno. */
static int run(FILE *const files[FILES], char *const argv[], int *code)
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    for (int i = 0; i < FILES && error == 0; i++)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    if (error == 0)
        error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(pid, code, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    return error;
}

static int open_files(FILE *files[FILES], const allot__text *script)
{
    for (int i = 0; i < FILES; i++)
        if (!(files[i] = tmpfile()))
            return errno;
    if (script && fwrite(script->bytes, 1, script->len, files[SCRIPT]) != script->len)
        return errno;
    return fflush(files[SCRIPT]) != 0 || fseek(files[SCRIPT], 0, SEEK_SET) != 0 ? errno : 0;
}

static void read_file(FILE *file, allot__text *out)
{
    char piece[65536];
    rewind(file);
    for (size_t len; (len = fread(piece, 1, sizeof piece, file)) > 0;)
        allot__text_add(out, piece, len);
}

/* gnuplot's message after a failure, on one line. */
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

static int judge(allot__cli *cli, FILE *const files[FILES], int code, const allot__text *out)
{
    char complaints[400];
    if (out->failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0 && out->len > 0)
        return CLI_DONE;
    read_complaints(files[COMPLAINTS], complaints, sizeof complaints);
    return allot__cli_fail(cli, CLI_IO, "E-plot", "--plot FILE.gp writes the script that it got",
                           "gnuplot failed: %s", complaints[0] != '\0' ? complaints : "no output");
}

static int no_gnuplot(allot__cli *cli, int error)
{
    char words[CLI_WHY];
    return allot__cli_fail(cli, CLI_IO, "E-plot",
                           "apt-get install gnuplot-nox; --plot FILE.gp and --samples FILE "
                           "need none",
                           "--plot needs gnuplot, which cannot be run: %s",
                           allot__cli_words(error, words));
}

int allot__sim_gnuplot(allot__cli *cli, const allot__text *script, allot__text *out)
{
    static char name[] = "gnuplot", plain[] = "-d", input[] = "-", version[] = "--version";
    char *const draw[] = {name, plain, input, NULL}, *const ask[] = {name, version, NULL};
    allot__text answer = {.engine = cli->engine}, *to = out ? out : &answer;
    FILE *files[FILES] = {NULL};
    int code = 0, error = open_files(files, script);
    if (error == 0)
        error = run(files, script ? draw : ask, &code);
    if (error == 0)
        read_file(files[PICTURE], to);
    int result = error != 0 ? no_gnuplot(cli, error) : judge(cli, files, code, to);
    for (int i = 0; i < FILES; i++)
        if (files[i])
            fclose(files[i]);
    allot__text_free(&answer);
    return result;
}
