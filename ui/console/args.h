/* Parses the arguments of commands. */
#ifndef CYCLOPS_UI_CONSOLE_ARGS_H
#define CYCLOPS_UI_CONSOLE_ARGS_H

#include "ui/console/command.h"

/* Copies the first word to buf and returns the text after it, trimmed at the front. */
const char *parse_word(const char *args, char *buf, size_t n);

/* A count: "12", "10k", "2.5M", or an expression. Sets *out to `missing` if args is empty. False
 * with c->err. */
bool parse_count(struct console *c, const char *args, uint64_t missing, uint64_t *out);

/* Splits "LOCATION if EXPR" in place: cuts args before the word and returns EXPR trimmed, NULL if
 * there is no `if`. */
char *parse_cut_if(char *args);

/* Parses a number of steps, 1 if absent. Like parse_count(), but refuses names of positions such as
 * `cycle`, which users type as a unit. `what`: the noun for the steps. */
bool parse_steps(struct console *c, const char *args, const char *what, uint64_t *out);
/* Cuts trailing blanks off. */
void parse_trim(char *s);

/* Parses "/8xg" at the beginning of args, as after `x` and `print`, and moves *args past it. False
 * with c->err. */
struct value_format {
	uint64_t count; /* 0: none given */
	char letter;    /* x z d u o t a c f s i, 0: none given */
	char size;      /* b h w g, 0: none given */
	bool raw;       /* r: the members of C++ containers, not their elements */
};
bool parse_format(struct console *c, const char **args, struct value_format *out);

/* True if `text` contains the pattern, or matches it as wildcards if it has any, or as a regular
 * expression if it has one of ^ $ \ .*; an empty pattern matches all. */
bool parse_matches(const char *pattern, const char *text);

/* Parses "#81213" or "81213". */
bool parse_seq(const char *text, uint64_t *seq);

#endif
