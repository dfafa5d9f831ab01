/* Texts that follow a grammar, for fuzzers: the bytes of an input choose the alternatives. Mostly
 * valid Lua that uses the whole API of cyclops (names, usages and options come from the program's
 * own tables, so that new ones are tried as well), and that tries forbidden things: files, the
 * environment, bytecode, finalizers, all the memory, all the time.
 *
 * The same bytes give the same text. The text ends with them. */
#ifndef CYCLOPS_TESTS_FUZZ_GRAMMAR_H
#define CYCLOPS_TESTS_FUZZ_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

enum { GRAMMAR_TEXT_MAX = 1 << 16 };

struct binding;

struct grammar {
	const uint8_t *at, *end;      /* choices that are left */
	unsigned depth;
	const struct binding *binding; /* the function whose arguments are written; NULL: none */
	size_t n;
	char text[GRAMMAR_TEXT_MAX];  /* [n], with a zero byte at its end */
};

/* Kinds of texts. */
enum grammar_start {
	/* for `cyclops lua`: a machine `m` of the program "guest", and a script's work with it */
	GRAMMAR_SCRIPT,
	GRAMMAR_CONFIG,     /* a configuration */
	GRAMMAR_EXPRESSION, /* one expression of print, conditions and watchpoints */
	GRAMMAR_COMMAND     /* one command line */
};

void grammar_begin(struct grammar *g, const uint8_t *choices, size_t n);
/* Replaces the text by another, with the remaining choices. */
const char *grammar_write(struct grammar *g, enum grammar_start start);

#endif
