/* Shared by the files of the microassembler: reading a line, and symbols. */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_READ_H
#define CYCLOPS_CORE_PROF_COP_MICRO_READ_H

#include "core/base/err.h"
#include "core/prof/cop/micro_image.h"
#include "core/prof/cop/micro_code.h"

/* SYMBOL_BROKEN: the line that defines it is wrong, which has been reported. */
enum symbol_kind { SYMBOL_LABEL, SYMBOL_NUMBER, SYMBOL_REGISTER, SYMBOL_BROKEN };

struct symbol {
	char name[MICRO_NAME_MAX];
	uint8_t kind;      /* enum symbol_kind */
	/* given from outside, or predefined: .equ doesn't change its value, and only an .equ of its
	 * name makes it a constant of the image */
	bool fixed;
	bool ours;         /* predefined: every program has it */
	char reg[4];       /* of SYMBOL_REGISTER */
	uint64_t value;    /* of the others */
	unsigned line;     /* where it is defined; 0: nowhere */
};

struct symbols {
	struct symbol *at; /* owned */
	unsigned count, room;
};

/* A line of text, comment cut off, and how far it is read. Every function below that reads skips
 * blanks first. */
struct reader {
	const char *line, *at, *end;
	const char *file;
	unsigned number; /* of the line, from 1 on */
	struct symbols *symbols;
	struct err *err;
	/* the last failure only follows from another: at its place is a name whose line is wrong */
	bool follows;
	bool out_of_memory; /* assembly ends */
};

/* Fails at a place of the line; always false. */
bool read_fail(struct reader *r, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define READ_FAIL(r, at, ...) (read_fail((r), (at), __VA_ARGS__), false)

/* The next character, '\0' at the end of the line. */
char read_peek(struct reader *r);
/* Reads the next character if it is c; false: it is not. */
bool read_accept(struct reader *r, char c);
bool read_expect(struct reader *r, char c, const char *right);
/* A word of letters, digits and underscores, cut to n - 1 bytes; "" if there is none. Returns its
 * beginning in the line. */
const char *read_word(struct reader *r, char *out, size_t n);
/* Reads the next word if it is this one; false if it is another. */
bool read_accept_word(struct reader *r, const char *word);
/* A word that may become a name: not too long, not a register's or source's. */
bool read_name(struct reader *r, char out[MICRO_NAME_MAX], const char *what);
/* A sum, product, ... of numbers and names; false with an error. */
bool read_number(struct reader *r, uint64_t *out);
/* The same, at most max. */
bool read_limited(struct reader *r, uint64_t max, const char *what, uint64_t *out);
/* A register of this letter ("v3"), or its name. */
bool read_register(struct reader *r, char letter, unsigned *out);
bool read_end(struct reader *r, const char *right);

struct symbol *symbol_find(const struct symbols *s, const char *name);
/* A label of this name; false with an error that names the nearest. */
bool read_label(struct reader *r, uint64_t *out);
/* Adds a symbol, named at `at` in the line; false with an error if there is one already. */
bool symbol_add(struct reader *r, const char *at, const struct symbol *made);

/* Adds the name that a wrong line was to define, so that its uses are no mistakes of their own. */
void symbol_break(struct reader *r, const struct symbol *made);

/* "v3": a register's number if the word is one of this letter, else -1. */
int micro_register_of(const char *word, char letter);

/* micro_ops.c: a line's operations, at address `at`. */
bool read_operations(struct reader *r, unsigned at, struct micro_inst *out);

#endif
