/* The built-in assembler: turns RISC-V assembly, in GNU as syntax, into an executable for the
 * loader, with symbols and source lines. No toolchain is needed.
 *
 * Mnemonics and operands are those of the instruction table (core/isa/rv64.def): each row there is
 * an instruction here. pseudo.c has the other instructions of GNU as, directives.c the directives.
 * The bytes are those that GNU as and ld give with -march=rv64gc -mno-relax. The text may be
 * anything: assembling it takes bounded time and memory. */
#ifndef CYCLOPS_LOADER_ASM_ASM_H
#define CYCLOPS_LOADER_ASM_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/os/os.h"

enum {
	ASM_MESSAGES_MAX = 20,       /* errors that one run reports */
	ASM_TEXT_MAX = 16 << 20,     /* bytes of a source file */
	ASM_BYTES_MAX = 64 << 20,    /* bytes of a program */
	ASM_STATEMENTS_MAX = 1 << 20 /* statements; those in .rept count each time */
};

enum { ASM_ABI_GUESS = -1 };

enum { ASM_SOURCES_MAX = 64 };

/* A source text. Each text has its own labels, and sees .globl labels of the others. */
struct asm_source {
	const char *name; /* as messages and the line table have it */
	const char *text; /* [n] */
	size_t n;
};

struct asm_message {
	unsigned source;       /* its index */
	char file[64];         /* the file that the source includes; "": the source itself */
	unsigned line, column; /* 1-based; line 0: about the whole text */
	char text[240];        /* the error, and what was expected; one line */
};

struct asm_options {
	const char *folder; /* its folder, absolute; NULL: not known */
	bool words;         /* no compressed instructions, until .option rvc */
	/* bits of a register, 32 or 64; 0: found out from the text. It is 32 with .attribute
	 * arch,"rv32..."; also for RARS, Ripes and Venus, and with a number such as 0xfffff800
	 * that is negative in 32 bits, unless an instruction needs 64 bits; else 64 */
	unsigned xlen;
	/* for .incbin, and .include (text): reads a file that the texts may read: malloc'd bytes,
	 * ASM_BYTES_MAX at most; NULL with *err. NULL itself: both are refused */
	uint8_t *(*read)(void *reader, const char *name, bool text, size_t *n, struct err *err);
	void *reader;
	int abi;            /* enum os_abi, or ASM_ABI_GUESS: found out from the text */
};

struct asm_result {
	uint8_t *elf; /* owned; [size]; NULL if there were errors */
	size_t size;
	unsigned message_count;
	bool more; /* there were more errors than messages */
	enum os_abi abi;
	bool rv32; /* the program is for RV32GC */
	char rv32_why[16]; /* the number for which it was guessed to be; "": none */
	char note[200];   /* about a text without errors that may not do what is meant; "": none */
	char abi_why[80]; /* why this ABI was guessed: "a7=4 with a string"; "": it was not */
	struct asm_message message[ASM_MESSAGES_MAX]; /* by line */
};

/* Assembles count texts, at least one, to one program. False if there are errors: they are in
 * result->message. Free the result in both cases. */
bool asm_assemble(const struct asm_source *sources, unsigned count,
                  const struct asm_options *options, struct asm_result *result);
/* True if a .S text, which a compiler takes by default, is assembled here: it needs no C
 * preprocessor, and is a simulator's program, has no beginning that a C library calls, or `given`,
 * an option, requests it (NULL: none). Writes the reason. */
bool asm_takes_instead(const char *text, size_t n, const char *given, char *why, size_t room);
/* True if a text has no instruction of 64 bits, and a number that is negative in 32: writes it. */
bool asm_text_seems_rv32(const char *text, size_t n, char *why, size_t room);
void asm_result_deinit(struct asm_result *result);
/* Formats "NAME:3:7: MESSAGE", one line; name: of its source. Returns buf. */
char *asm_message_text(const struct asm_message *m, const char *name, char *buf, size_t n);

#endif
