/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* option.c: a policy's options, as a plan states them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "script/sandbox/script.h"

static allot__parsed_option *find_option(allot__parsed *parsed, const char *name)
{
    for (int32_t i = 0; i < parsed->option_count; i++)
        if (strcmp(parsed->options[i].name, name) == 0)
            return &parsed->options[i];
    return NULL;
}

/* Placed by the plan's reader: at the option of that name. */
static bool refuse(const allot__reading *reading, const allot_use_option *use, const char *code,
                   const char *message, const char *hint)
{
    allot_report_add(reading->report, &(allot_diagnostic){.severity = ALLOT_ERROR,
                                                          .code = code,
                                                          .path = use->name,
                                                          .message = message,
                                                          .hint = hint,
                                                          .consumer = -1,
                                                          .group = -1,
                                                          .field = -1});
    return false;
}

/* What LSF's parameters bind jobs by stands elsewhere in plans. */
static bool is_parameter(const char *name)
{
    static const char *const names[] = {
        "max_job_preempt",        "max_total_time_preempt", "no_preempt_interval", "hist_hours",
        "no_preempt_finish_time", "no_preempt_run_time",    "preempt_delay",       "half_life",
        "mc_reclaim_delay"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool refuse_unknown(const allot__reading *reading, const allot_use_option *use)
{
    const allot__parsed *parsed = reading->parsed;
    const char *names[ALLOT_ATTRIBUTES_MAX];
    char message[400], hint[200];
    for (int32_t i = 0; i < parsed->option_count; i++)
        names[i] = parsed->options[i].name;
    const char *near =
        allot_nearest(use->name, strlen(use->name), names, (size_t)parsed->option_count);
    snprintf(message, sizeof message, "policy \"%.100s\" has no option \"%.128s\"", parsed->name,
             use->name);
    snprintf(hint, sizeof hint, "did you mean \"%.128s\"?", near ? near : "");
    if (is_parameter(use->name))
        near = strcpy(hint, "write it in \"params\" of the plan, or in a queue");
    return refuse(reading, use, "E-unknown-key", message, near ? hint : NULL);
}

/* The place of a string among the option's, or -1 (said). */
static int64_t find_value(const allot__reading *reading, const allot_use_option *use,
                          const allot__parsed_option *option)
{
    char message[640], hint[200], list[200] = "";
    size_t at = 0;
    for (int32_t i = 0; i < option->value_count; i++) {
        if (use->type == ALLOT_JSON_STRING && strcmp(use->string, option->values[i]) == 0)
            return i;
        int len = snprintf(list + at, sizeof list - at, "%s\"%.60s\"", i > 0 ? ", " : "",
                           option->values[i]);
        at += len > 0 && (size_t)len < sizeof list - at ? (size_t)len : 0;
    }
    const char *near = NULL;
    if (use->type == ALLOT_JSON_STRING)
        near = allot_nearest(use->string, strlen(use->string), option->values,
                             (size_t)option->value_count);
    snprintf(message, sizeof message, "option \"%.128s\" of policy \"%.60s\" is one of %s",
             option->name, reading->parsed->name, list);
    snprintf(hint, sizeof hint, "did you mean \"%.128s\"?", near ? near : "");
    refuse(reading, use, use->type == ALLOT_JSON_STRING ? "E-range" : "E-type", message,
           near ? hint : NULL);
    return -1;
}

/* The next word of a text, between blanks; false: there is none. */
static bool next_word(const char **text, size_t *len)
{
    static const char blanks[] = " \t\r\n";
    *text += strspn(*text, blanks);
    *len = strcspn(*text, blanks);
    return *len > 0;
}

static bool same_word(const char *word, size_t len, const char *other)
{
    for (size_t i = 0; i < len; i++) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (c != other[i])
            return false;
    }
    return other[len] == '\0';
}

static bool refuse_word(const allot__reading *reading, const allot_use_option *use,
                        const allot__parsed_option *option, const char *word, size_t len)
{
    char message[640], hint[200], list[200] = "";
    size_t at = 0;
    for (int32_t i = 0; i < option->value_count && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "",
                               option->values[i]);
    const char *near = allot_nearest(word, len, option->values, (size_t)option->value_count);
    snprintf(message, sizeof message,
             "option \"%.128s\" of policy \"%.60s\": unknown word \"%.*s\"; known are %s",
             option->name, reading->parsed->name, (int)(len < 60 ? len : 60), word, list);
    snprintf(hint, sizeof hint, "did you mean \"%.128s\"?", near ? near : "");
    return refuse(reading, use, "E-range", message, near ? hint : NULL);
}

static bool take_words(const allot__reading *reading, const allot_use_option *use,
                       allot__parsed_option *option)
{
    char message[400];
    if (use->type != ALLOT_JSON_STRING && use->type != ALLOT_JSON_WORDS) {
        snprintf(message, sizeof message,
                 "option \"%.128s\" of policy \"%.100s\" is a text of words, or a list of them",
                 option->name, reading->parsed->name);
        return refuse(reading, use, "E-type", message, NULL);
    }
    int64_t bits = 0;
    size_t len;
    for (const char *word = use->string; next_word(&word, &len); word += len) {
        int32_t i = 0;
        while (i < option->value_count && !same_word(word, len, option->values[i]))
            i++;
        if (i == option->value_count)
            return refuse_word(reading, use, option, word, len);
        bits |= (int64_t)1 << i;
    }
    option->value = bits;
    return true;
}

static bool take_option(const allot__reading *reading, const allot_use_option *use)
{
    allot__parsed_option *option = find_option(reading->parsed, use->name);
    char message[400];
    if (!option)
        return !use->mine || refuse_unknown(reading, use);
    if (option->words)
        return take_words(reading, use, option);
    if (option->value_count > 0) {
        int64_t place = find_value(reading, use, option);
        option->value = place < 0 ? option->value : place;
        return place >= 0;
    }
    bool boolean = option->type == ALLOT_BOOLEAN;
    if (use->type != (boolean ? ALLOT_JSON_BOOLEAN : ALLOT_JSON_INTEGER)) {
        snprintf(message, sizeof message, "option \"%.128s\" of policy \"%.100s\" is %s",
                 option->name, reading->parsed->name, boolean ? "true or false" : "a whole number");
        return refuse(reading, use, "E-type", message, NULL);
    }
    if (use->integer < option->min || use->integer > option->max) {
        snprintf(message, sizeof message,
                 "option \"%.128s\" is %" PRId64 ", allowed is %" PRId64 " ... %" PRId64,
                 option->name, use->integer, option->min, option->max);
        return refuse(reading, use, "E-range", message, NULL);
    }
    option->value = use->integer;
    return true;
}

bool allot__read_options(allot__reading *reading)
{
    bool fine = true;
    for (int32_t i = 0; i < reading->use_count; i++)
        fine = take_option(reading, &reading->use[i]) && fine;
    return fine;
}
