/* Shared by the assembler's parts: a text becomes sections of pieces and symbols (directives.c,
 * instructions.c, pseudo.c), pieces get addresses (layout.c) and bytes (emit.c), and all of it
 * becomes a file (file.c, line_table.c).
 *
 * Every place in the text is a pointer into `text`, whose comments are blanks. A part that finds a
 * fault calls asm_fault() and returns false. Only the rightmost fault of a statement is reported:
 * it comes from the attempt that read farthest. */
#ifndef CYCLOPS_LOADER_ASM_ASM_PRIV_H
#define CYCLOPS_LOADER_ASM_ASM_PRIV_H

#include "core/isa/inst.h"
#include "loader/asm/asm.h"

enum {
	ASM_OPERANDS_MAX = 8,
	ASM_OPTIONS_DEPTH = 32,
	ASM_NESTING_MAX = 64,
	ASM_SECTIONS_MAX = 1024,
	ASM_INCLUDED_MAX = 64, /* files that .include names */
	ASM_INCLUDE_DEPTH = 16
};

/* Part of a text. */
struct span {
	const char *at;
	size_t n;
};

/* The part of a value that an instruction takes: the whole, or a half that another instruction
 * completes. */
enum part {
	PART_ALL,
	PART_HI,       /* %hi */
	PART_LO,       /* %lo */
	PART_PCREL_HI, /* %pcrel_hi */
	PART_PCREL_LO, /* %pcrel_lo: of the %pcrel_hi at the label */
	PART_PAIR_LO,  /* %pcrel_lo of the piece before */
	PART_TPREL,    /* distance from the beginning of thread-local storage */
	PART_TPREL_HI, /* %tprel_hi */
	PART_TPREL_LO  /* %tprel_lo */
};

/* plus - minus + add. */
struct value {
	uint32_t plus, minus; /* symbols, 0: none */
	int64_t add;
	uint8_t part; /* enum part */
};

static inline bool value_is_constant(const struct value *v)
{
	return !v->plus && !v->minus && v->part == PART_ALL;
}

enum piece_kind {
	PIECE_BYTES, /* of section->bytes, from `from` on */
	PIECE_SPACE, /* `size` bytes of `fill` */
	PIECE_ALIGN, /* to the alignment `from`, with `fill` */
	PIECE_ORG,   /* to the offset `from`, with zeros */
	PIECE_VALUE, /* a value of `size` bytes */
	PIECE_LEB,   /* a value as LEB128, signed if `fill` */
	PIECE_INST,  /* an instruction; `value` is its immediate unless that is constant */
	PIECE_NEAR,  /* a branch or jump to `value`; size depends on distance */
	PIECE_RAW_NEAR /* `in.raw`, with the distance to `value` in the place of `in.op` */
};

struct piece {
	uint64_t at, size; /* bytes, from the section's beginning */
	uint64_t from;     /* BYTES: in section->bytes; ALIGN: the alignment; ORG: the offset */
	struct value value;
	struct inst in;
	uint32_t line, column;
	uint32_t most; /* ALIGN: max bytes it may take; 0: any number */
	uint8_t kind;  /* enum piece_kind */
	uint8_t fill;
	uint8_t source;
	bool code; /* ALIGN: filled with nops */
	bool rvc;  /* compressed instructions are allowed */
};

enum section_kind {
	SECTION_TEXT,
	SECTION_RODATA,
	SECTION_TDATA, /* thread-local, as the only thread has it */
	SECTION_TBSS,
	SECTION_DATA,
	SECTION_BSS,
	SECTION_KINDS,
	SECTION_DROPPED = SECTION_KINDS
};

struct section {
	char *name;     /* owned */
	uint8_t kind;   /* enum section_kind */
	uint8_t *bytes; /* owned; [byte_count] */
	size_t byte_count, byte_cap;
	struct piece *pieces; /* owned; [count] */
	size_t count, cap;
	uint64_t align;
	uint64_t addr, size; /* from layout on */
	/* So far: number of pieces of unknown size, and bytes of the others. */
	uint64_t variable, fixed;
};

enum symbol_state { SYMBOL_UNDEFINED, SYMBOL_PLACE, SYMBOL_VALUE };

struct symbol {
	char *name;    /* owned */
	uint32_t next; /* in its bucket */
	uint8_t state; /* enum symbol_state */
	bool imported; /* stands for another text's symbol */
	bool common;   /* by .comm: another text's replaces it */
	uint8_t source;
	bool global, weak, local_common, function, object, busy;
	uint32_t line, column; /* of its definition, or its first use */
	/* PLACE: before that piece of that section */
	uint32_t section;
	uint64_t piece, variable, fixed;
	struct value value; /* VALUE */
	uint64_t size;
	uint32_t counter; /* of a numeric label: definitions so far */
};

/* A file that .include names. */
struct included {
	char *name, *text; /* owned; text [n], NUL-terminated, without comments */
	size_t n;
	bool whole;        /* it is a text: no zeros, and each comment ends */
	uint8_t by;        /* index of the source that it belongs to */
};

struct assembler {
	const struct asm_source *sources; /* [source_count] */
	unsigned source_count;
	/* the present text: an index of sources, or source_count + one of included; and the source
	 * that it belongs to */
	unsigned source, main_source;
	struct included included[ASM_INCLUDED_MAX]; /* [included_count] */
	unsigned included_count, include_depth;
	size_t included_bytes;
	char *texts[ASM_SOURCES_MAX];     /* owned; [source_count], as `text` */
	uint32_t first_symbol;            /* of the present text's */
	/* addresses from gap_at on are gap_bytes farther away than in the file */
	uint64_t gap_at, gap_bytes;
	enum os_abi abi;
	bool rv32; /* for RV32GC: an ELF32 file */
	const struct asm_options *options;
	struct asm_result *result;
	char *text; /* of texts; without comments */
	size_t n;
	unsigned line;
	const char *line_start;
	struct span statement;
	struct section *sections; /* owned; [section_count] */
	uint32_t section_count, section, section_before;
	struct symbol *symbols; /* owned; [symbol_count]; 0 is none */
	uint32_t symbol_count, symbol_cap;
	uint32_t *buckets; /* owned; [bucket_count], symbols by name */
	uint32_t bucket_count;
	bool rvc, rvc_ever; /* compressed instructions are allowed now, were anywhere */
	bool pic;           /* la takes addresses from the offset table */
	bool short_only;    /* this instruction is written c.NAME */
	bool words_only;    /* this instruction has no compressed form */
	struct {
		bool rvc, pic;
	} options_stack[ASM_OPTIONS_DEPTH];
	unsigned options_depth;
	struct {
		uint32_t section, before;
	} pushed[ASM_OPTIONS_DEPTH]; /* by .pushsection */
	unsigned pushed_depth;
	uint64_t tls;              /* where thread-local storage begins, from layout on */
	struct asm_macros *macros; /* owned; NULL: none */
	unsigned frozen;           /* the text is an expansion: its lines are not counted */
	bool macro_left;           /* .exitm: the rest of the expansion is skipped */
	bool in_words;             /* words of this statement are replaced already */
	struct {
		bool outside, now, before; /* assembled: the text around, this branch, any so far */
		unsigned line;
	} conditions[ASM_NESTING_MAX];
	unsigned condition_depth;
	unsigned statements, nesting;
	uint64_t bytes;       /* of all sections */
	const char *fault_at; /* of this statement; NULL: none */
	char fault[240];
	bool stop; /* stop reading */
};

/* ---- include.c ---- */
/* Reads the files that the texts include. Faults are reported by the directive. */
void include_look_ahead(struct assembler *a);
void include_free(struct assembler *a);

/* ---- fault.c ---- */
const char *asm_source_name(const struct assembler *a, unsigned source);
/* Notes the fault; it is reported with the statement. Always false. */
bool asm_fault(struct assembler *a, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports the fault of an earlier place at once. Always false. */
bool asm_error(struct assembler *a, unsigned line, unsigned column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool asm_out_of_memory(struct assembler *a);
/* Notes that a jump's offset from a register is a number, which compressed instructions change. */
void asm_note_offset(struct assembler *a, const struct value *offset);
unsigned asm_column(const struct assembler *a, const char *at);

/* ---- asm.c ---- */
/* The section that the assembler adds, after the text's own. */
#define ASM_START_SECTION ".text.start_of_main"
void assemble_text(struct assembler *a, const char *at, const char *end);
/* Bounds the number of statements. */
bool asm_count_statement(struct assembler *a);

/* ---- abi.c ---- */
/* Whether the text has instructions that only RV64 has. */
#define ABI_QTRVSIM "#pragma qtrvsim"
bool abi_text_is_qtrvsim(const char *text, size_t n);
bool abi_text_is_64bit(const char *text, size_t n);
/* Copies the first number of an instruction that is written as a negative one of 32 bits,
 * "0xfffff800", into why, room bytes; leaves it if there is none. */
void abi_find_narrow(const char *text, size_t n, char *why, size_t room);

/* ---- options.c ---- */
/* The architecture, "rv32i2p1_m2p0", that the arguments of .attribute set; empty: none. */
struct span option_attribute_arch(struct span s);

/* ---- macros.c ---- */
struct asm_macros;
void macros_free(struct asm_macros *m);
/* Defines a macro: head is "NAME PARAMETERS". percent: parameters are written %NAME, as in RARS. */
bool macro_define(struct assembler *a, struct span head, struct span body, bool percent);
/* Sets *done if it is a macro, and assembles its expansion. */
bool macro_use(struct assembler *a, struct span name, struct span rest, bool *done);
/* Assembles body for each of the values, or of the characters, of head: "NAME,VALUES". */
bool macro_repeat(struct assembler *a, struct span head, struct span body, bool characters);
/* Sets *done if the statement has such words, and assembles it with their texts. */
bool macro_words(struct assembler *a, struct span statement, bool *done);

/* ---- conditions.c ---- */
/* Executes .if, .else, .endif and their kin; *done: it was one of these. */
bool condition_directive(struct assembler *a, struct span name, struct span rest, bool *done);
bool condition_holds(const struct assembler *a);

/* ---- scan.c ---- */
/* Blanks comments. False if one has no end: *at is where it begins. */
bool scan_comments(char *text, size_t n, size_t *at);
struct span span_trim(struct span s);
bool span_is(struct span s, const char *word);
bool is_name_start(char c);
bool is_name(char c);
/* The index after the quoted text that begins at i: a string, which ends at the end of its line at
 * the latest, or a character, whose second quote may be missing. */
size_t scan_quoted(const char *text, size_t n, size_t i);
/* The name at the beginning of s, perhaps in double quotes, which are not of it; n 0: none. Returns
 * the bytes that it takes. */
size_t scan_name(struct span s, struct span *name);
/* Splits at commas outside strings and parentheses, into at most ASM_OPERANDS_MAX - 1 operands;
 * more are a fault. */
bool scan_operands(struct assembler *a, struct span s, struct span *out, unsigned *count);
/* Where the first value of s ends, if another follows after blanks; s.n if none does. */
size_t scan_blank_end(struct span s);
/* Splits the operands also at blanks between values, as simulators of courses do. */
bool scan_blank_operands(struct assembler *a, const struct span *from, unsigned n, struct span *out,
                         unsigned *count);
/* Reads a character or an escape at *at. False at a fault. */
bool scan_character(struct assembler *a, const char **at, const char *end, unsigned *out);

/* ---- expr.c ---- */
bool expr_parse(struct assembler *a, struct span s, struct value *out);
/* Parses an expression whose value is known now. */
bool expr_constant(struct assembler *a, struct span s, int64_t *out);

/* ---- symbols.c ---- */
/* The symbol of this name, added if there is none; 0: out of memory. */
uint32_t symbol_get(struct assembler *a, struct span name);
uint32_t symbol_numeric(struct assembler *a, struct span number, char direction);
uint32_t symbol_here(struct assembler *a);
/* Defines the symbol at the current place. False with a fault if it is defined elsewhere. */
bool symbol_define(struct assembler *a, uint32_t symbol, const char *at);
bool symbol_label(struct assembler *a, struct span name);
/* .set NAME,VALUE; the name "." moves on in the section. */
bool symbol_assign(struct assembler *a, struct span name, struct span value);
/* Replaces known symbols by their values and known differences by numbers. */
void value_fold(const struct assembler *a, struct value *v);
/* The value's number, after layout; false with an error. */
bool value_resolve(struct assembler *a, const struct value *v, const struct piece *at,
                   uint64_t *out);
/* Ends the present text: its names are known no more. */
bool symbols_next_source(struct assembler *a);
/* Binds undefined names of each text to the other texts' global ones. */
bool symbols_join(struct assembler *a);
bool symbol_is_hidden(const struct symbol *s);
/* After other errors: reports symbols that are used and not defined, but for those that an
 * erroneous line names. */
void symbols_check(struct assembler *a);
/* The address of a symbol that is defined at a place, from layout on. */
uint64_t symbol_address(const struct assembler *a, const struct symbol *s);

/* ---- data.c ---- */
/* Moves on to a place of the section, with zeros up to it; false with a fault if it has passed. */
bool data_move_to(struct assembler *a, struct span place);

/* ---- offset_table.c ---- */
enum offset_kind {
	OFFSET_ADDRESS = 'a', /* its address */
	OFFSET_THREAD = 't',  /* its distance from tp */
	OFFSET_MODULE = 'm'   /* 1, the program's number; then its distance from tp */
};
/* Replaces *v by the entry of the global offset table that holds it. */
bool offset_entry(struct assembler *a, enum offset_kind kind, struct value *v, const char *at);
/* Adds the table, after the last statement. */
bool offset_table(struct assembler *a);

/* ---- sections.c ---- */
bool section_enter(struct assembler *a, const char *name, size_t n, int kind);
struct section *section_now(struct assembler *a);
/* Adds a piece at the end of the section; NULL with a fault. */
struct piece *piece_add(struct assembler *a, enum piece_kind kind, uint64_t size);
bool piece_bytes(struct assembler *a, const void *bytes, size_t n);

/* ---- operands.c ---- */
/* An instruction whose operands are being read. */
struct reading {
	struct inst in;
	struct inst classes; /* which registers are floating-point ones */
	struct value value;
	bool valued;
	bool both; /* rs2 is the register of rs1 */
	const char *value_at;
};

/* Reads the operands that `syntax`, from a table row, requires. False with a fault. */
bool read_operands(struct assembler *a, struct reading *r, struct span mnemonic, const char *syntax,
                   const struct span *operands, unsigned count);

/* Reads an expression, or a part of one: %lo(symbol). high: an upper part is expected. */
bool operand_value(struct assembler *a, struct span s, bool high, struct value *out);

/* ---- instructions.c, pseudo.c, short_forms.c, directives.c ---- */
bool assemble_instruction(struct assembler *a, struct span mnemonic, const struct span *operands,
                          unsigned count);
/* Assembles an instruction of the table; no pseudo-instructions. */
bool assemble_table(struct assembler *a, struct span mnemonic, const struct span *operands,
                    unsigned count);
/* Whether the table has an instruction of this name. */
bool table_has(struct span mnemonic);
/* Whether the table has instructions of this name, all of them RV64's alone. */
bool table_is_64bit(struct span mnemonic);
/* The instruction's form with a number for the last register: "addi" of "add"; NULL if it has none.
 */
const char *table_immediate_form(struct span name);
/* Sets *done if it is a pseudo-instruction. */
bool assemble_pseudo(struct assembler *a, struct span mnemonic, const struct span *operands,
                     unsigned count, bool *done);
bool assemble_directive(struct assembler *a, struct span name, struct span rest);
/* Appends an instruction. in.len 2: a compressed form is allowed. value NULL: in.imm is the
 * immediate. */
bool put_inst(struct assembler *a, struct inst in, const struct value *value);
bool put_raw(struct assembler *a, uint32_t raw, uint64_t size);
bool parse_register(struct assembler *a, struct span s, bool fp, uint8_t *reg);
/* The number of an integer register; -1 for any other text. No fault. */
int register_of(struct span s);

/* The 2-byte form that GNU as chooses, in RV32 or RV64; false if there is none. */
bool short_form(bool rv32, const struct inst *in, uint32_t *raw);
/* Encodes like inst_encode(), and also hints that decode to something else. */
bool encode_any(const struct inst *in, uint32_t *raw);

/* ---- abi.c ---- */
/* Where programs of this ABI have code and data; data 0: after the code. */
uint64_t abi_text_base(enum os_abi abi);
uint64_t abi_data_base(enum os_abi abi);
/* The ABI whose services the text requests; why[n] receives the reason, "" if there is none. */
enum os_abi abi_guess(const char *text, size_t length, char *why, size_t n);

/* ---- layout.c, emit.c, file.c, line_table.c ---- */
void layout(struct assembler *a);
/* Writes v as LEB128 into out (NULL: nowhere); returns the number of bytes. */
unsigned leb_bytes(uint64_t v, bool is_signed, uint8_t *out);
/* Writes the section's bytes into out[size], which is zero. */
void emit_section(struct assembler *a, struct section *s, uint8_t *out);
bool write_file(struct assembler *a);

struct bytes {
	uint8_t *at; /* owned; [n] */
	size_t n, cap;
	bool failed; /* out of memory */
};
void bytes_put(struct bytes *b, const void *from, size_t n);
void bytes_u8(struct bytes *b, unsigned v);
void line_table(const struct assembler *a, uint64_t low, uint64_t high, struct bytes *line,
                struct bytes *info, struct bytes *abbrev);

#endif
