/* Taking commands' arguments apart. */
#ifndef CYCLOPS_UI_CONSOLE_ARGS_H
#define CYCLOPS_UI_CONSOLE_ARGS_H

#include "ui/console/command.h"

/* Copies the first word to buf and returns what follows it, trimmed at the front. */
const char *parse_word(const char *args, char *buf, size_t n);

/* A count: "12", "10k", "2.5M", or an expression. `missing` if there is none. False with c->err. */
bool parse_count(struct console *c, const char *args, uint64_t missing, uint64_t *out);

/* Splits "LOCATION if EXPR" in place: cuts args before the word and returns EXPR trimmed, NULL if
 * there is no `if`. */
char *parse_cut_if(char *args);

/* Cuts trailing blanks off. */
/* How often to step, 1 if nothing is said: parse_count() but for what says where the machine is,
 * which someone means as a unit. `what`: the steps' noun. */
bool parse_steps(struct console *c, const char *args, const char *what, uint64_t *out);
void parse_trim(char *s);

/* "/8xg" at the beginning of args, as behind `x` and `print`. Moves *args behind it. False with
 * c->err. */
struct value_format {
	uint64_t count; /* 0: none given */
	char letter;    /* x z d u o t a c f s i, 0: none given */
	char size;      /* b h w g, 0: none given */
	bool raw;       /* r: containers of C++ as what they consist of */
};
bool parse_format(struct console *c, const char **args, struct value_format *out);

/* Whether `text` has pattern in it, or fits it if it has wildcards, or, if it has one of ^ $ \ .*,
 * fits it as a regular expression; an empty pattern fits all. */
bool parse_matches(const char *pattern, const char *text);

/* "#81213" or "81213". */
bool parse_seq(const char *text, uint64_t *seq);

#endif
