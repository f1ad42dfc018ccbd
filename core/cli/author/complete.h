/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * complete.h: what completion for the shells shares.
 *
 * A word of the command line is told by alternatives that "|" divides: what is in lower case is
 * taken as it stands, what is in upper case is a kind (PLAN, POLICY, FILE, TOPIC, ...), of which a
 * shell offers files or names, or nothing.
 */
#ifndef ALLOT_CLI_AUTHOR_COMPLETE_H
#define ALLOT_CLI_AUTHOR_COMPLETE_H

#include "cli/term/cli.h"

/* The operands of a verb without brackets, with blanks between: "PLAN STATE PATH|TASK", "FILE...".
 */
void allot__complete_operands(allot__text *out, const allot__verb *verb);
/* The names of ready-made policies, with blanks between. */
void allot__complete_policies(allot__text *out);
/* The shell functions _allot_verbs, _allot_operands VERB, _allot_options VERB, _allot_policies and
 * _allot_topics, which print words, as bash and zsh have them, and _allot_argument VERB OPTION. An
 * option is "-f,--format=text|json", "--seed=N" or "--help". */
void allot__complete_tables(allot__text *out, const allot__verb *verbs, const allot__text *topics);

/* Whole scripts. `topics` are those of help, with blanks between. */
void allot__complete_bash(allot__text *out, const allot__verb *verbs, const allot__text *topics);
void allot__complete_zsh(allot__text *out, const allot__verb *verbs, const allot__text *topics);
void allot__complete_fish(allot__text *out, const allot__verb *verbs, const allot__text *topics);

#endif
