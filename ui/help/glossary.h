/* Meanings of the field's terms (glossary.def) and of each instruction (glossary_insts.def). */
#ifndef CYCLOPS_UI_HELP_GLOSSARY_H
#define CYCLOPS_UI_HELP_GLOSSARY_H

#include <stddef.h>
#include <stdbool.h>
#include "core/isa/inst.h"

struct config;

struct glossary_term {
	const char *name;
	const char *summary;
	const char *text; /* lines of 78 columns at most, or "" */
};
extern const struct glossary_term glossary_terms[];
extern const unsigned glossary_term_count;

struct glossary_instruction {
	const char *spelling; /* NULL: the operation's own name */
	const char *what;
	unsigned op;          /* enum op; determines class and unit */
};
extern const struct glossary_instruction glossary_instructions[];
extern const unsigned glossary_instruction_count;

/* Finds a term by its name or a synonym, ignoring case; NULL if there is none. */
const struct glossary_term *glossary_term(const char *word);
/* Writes the longest run of words in a text of several that glossary_term() finds: "hazard" of
 * "hazard detection". False: there is none. */
bool glossary_words_within(const char *text, char *out, size_t n);
const char *glossary_mnemonic(const struct glossary_instruction *in);
/* Finds an instruction by a mnemonic that the disassembler prints; NULL if there is none. */
const struct glossary_instruction *glossary_instruction(const char *mnemonic);
/* Formats class, unit and latency with these parameters, in two or more lines. Malloc'd, NULL if
 * memory is short. */
char *glossary_timing(const struct glossary_instruction *in, const struct config *cfg);
/* i-th word that glossary_term() or glossary_instruction() finds; NULL: there are fewer. */
const char *glossary_name(unsigned i);

#endif
