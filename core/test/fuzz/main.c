/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * main.c: drives a fuzz target without libFuzzer, built by any compiler.
 *
 *   TARGET [-seconds N] [-seed N] FILE|FOLDER...
 *
 * Every file is tried as it is; then, for N seconds, what comes of files by a few random changes:
 * bits, bytes, numbers, pieces that go, double, or come from another file. The input that ends the
 * process is kept beside the target, as TARGET.finding; one that takes a minute is taken to hang.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test/fuzz/fuzz.h"

enum { FILES_MOST = 4096, INPUT_MOST = 1 << 16, HANGS = 60 };

typedef struct text {
    uint8_t *bytes;
    size_t len;
} text;

static text files[FILES_MOST];
static int count;
static uint64_t seed = 1;
static uint8_t input[2 * INPUT_MOST];
static size_t len;
static char finding[256];

static size_t chance(size_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return below == 0 ? 0 : (size_t)(seed % below);
}

/* ---- What is found ----------------------------------------------------------------------------
 */

static void keep(void)
{
    FILE *file = fopen(finding, "wb");
    if (file) {
        fwrite(input, 1, len, file);
        fclose(file);
        fprintf(stderr, "the input is kept in %s\n", finding);
    }
}

#if defined __SANITIZE_ADDRESS__
void __sanitizer_set_death_callback(void (*callback)(void));
#endif

static void on_signal(int number)
{
    if (number == SIGALRM)
        fprintf(stderr, "this input takes more than %d s\n", HANGS);
    keep();
    signal(number, SIG_DFL);
    raise(number == SIGALRM ? SIGKILL : number);
}

static void listen_for_ends(const char *name)
{
    snprintf(finding, sizeof finding, "%s.finding", name);
    signal(SIGABRT, on_signal);
    signal(SIGALRM, on_signal);
#if defined __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(keep);
#else
    signal(SIGSEGV, on_signal);
    signal(SIGFPE, on_signal);
#endif
}

/* ---- Files ------------------------------------------------------------------------------------
 */

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || count == FILES_MOST) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    text *it = &files[count++];
    it->bytes = malloc(INPUT_MOST);
    it->len = it->bytes ? fread(it->bytes, 1, INPUT_MOST, file) : 0;
    fclose(file);
}

static void add(const char *path)
{
    struct stat about;
    struct dirent **names;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        add_file(path);
        return;
    }
    int found = scandir(path, &names, NULL, alphasort);
    if (found < 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    for (int i = 0; i < found; i++) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (stat(inner, &about) == 0 && S_ISREG(about.st_mode))
            add_file(inner);
        free(names[i]);
    }
    free(names);
}

/* ---- Changes ----------------------------------------------------------------------------------
 */

static void replace(size_t at, size_t gone, const void *with, size_t more)
{
    if (len - gone + more > INPUT_MOST)
        return;
    memmove(input + at + more, input + at + gone, len - at - gone);
    memcpy(input + at, with, more);
    len = len - gone + more;
}

/* A number of the input, or where there is none any place of it, becomes one of these. */
static void renumber(void)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "1000000000",
                                          "1000000001",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551616",
                                          "1e400",
                                          "0.5",
                                          "NaN",
                                          "\"\"",
                                          "null",
                                          "true",
                                          "[]",
                                          "{}",
                                          ""};
    size_t from = chance(len + 1), to;
    while (from < len && (input[from] < '0' || input[from] > '9'))
        from++;
    for (to = from; to < len && input[to] >= '0' && input[to] <= '9';)
        to++;
    const char *with = numbers[chance(sizeof numbers / sizeof *numbers)];
    replace(from, to - from, with, strlen(with));
}

static void change(void)
{
    uint8_t piece[512];
    size_t at = chance(len + 1), span = chance(len - at + 1), some = chance(64) + 1;
    const text *other = &files[chance((size_t)count)];
    size_t there = chance(other->len + 1);
    if (span > sizeof piece)
        span = chance(sizeof piece);
    switch (chance(7)) {
    case 0:
        if (at < len)
            input[at] ^= (uint8_t)(1u << chance(8));
        break;
    case 1:
        piece[0] = (uint8_t)chance(256);
        replace(at, at < len, piece, 1);
        break;
    case 2:
        replace(at, span, piece, 0);
        break;
    case 3:
        memcpy(piece, input + at, span);
        replace(at, 0, piece, span);
        break;
    case 4:
        some = some > other->len - there ? other->len - there : some;
        replace(at, span < some ? span : some, other->bytes + there, some);
        break;
    case 5:
        some = other->len - there > sizeof piece ? sizeof piece : other->len - there;
        replace(at, 0, other->bytes + there, some);
        break;
    default:
        renumber();
    }
}

static void try_input(void)
{
    /* A block of its own, so that a step beyond its end is seen. */
    uint8_t *copy = malloc(len > 0 ? len : 1);
    MUST(copy != NULL);
    memcpy(copy, input, len);
    alarm(HANGS);
    LLVMFuzzerTestOneInput(copy, len);
    alarm(0);
    free(copy);
}

static void take(const text *from)
{
    memcpy(input, from->bytes, from->len);
    len = from->len;
}

int main(int argc, char **argv)
{
    long seconds = 0, tried = 0;
    listen_for_ends(argv[0]);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-seconds") == 0 && i + 1 < argc)
            seconds = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "-seed") == 0 && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10) | 1;
        else
            add(argv[i]);
    for (int i = 0; i < count; i++, tried++) {
        take(&files[i]);
        try_input();
    }
    time_t until = time(NULL) + seconds;
    for (; count > 0 && time(NULL) < until; tried++) {
        take(&files[chance((size_t)count)]);
        for (size_t i = chance(8) + 1; i > 0; i--)
            change();
        try_input();
    }
    for (int i = 0; i < count; i++)
        free(files[i].bytes);
    printf("%d files, %ld inputs\n", count, tried);
    return count == 0;
}
