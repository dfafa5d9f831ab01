#include "ui/help/glossary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/config.h"
#include "core/isa/op.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"

const struct glossary_term glossary_terms[] = {
#define TERM(name, summary, text) {name, summary, text},
#include "ui/help/glossary.def"
};
const unsigned glossary_term_count = sizeof glossary_terms / sizeof *glossary_terms;

static const struct {
	const char *name, *term;
} others[] = {
#define ALSO(name, term) {name, term},
#include "ui/help/glossary.def"
};
enum { OTHER_COUNT = sizeof others / sizeof *others };

static const struct {
	const char *name, *what;
	const char *latency, *occupancy; /* parameters, "" if there is none */
} units[CLASS_COUNT] = {
#define UNIT(class, name, what, latency, occupancy)                                                \
	[CLASS_##class] = {name, what, latency, occupancy},
#include "ui/help/glossary_insts.def"
};

const struct glossary_instruction glossary_instructions[] = {
#define INSTRUCTION(id, what) {NULL, what, OP_##id},
#define SHORT(mnemonic, id, what) {mnemonic, what, OP_##id},
#include "ui/help/glossary_insts.def"
};
const unsigned glossary_instruction_count =
	sizeof glossary_instructions / sizeof *glossary_instructions;

const char *glossary_mnemonic(const struct glossary_instruction *in)
{
	return in->spelling ? in->spelling : op_info[in->op].mnemonic;
}

static char glossary_normalize_char(char c)
{
	return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c);
}

static bool same_word(const char *a, const char *b)
{
	while (*a && glossary_normalize_char(*a) == glossary_normalize_char(*b))
		a++, b++;
	return !*a && !*b;
}

const struct glossary_term *glossary_term(const char *word)
{
	for (unsigned i = 0; i < OTHER_COUNT; i++)
		if (same_word(others[i].name, word)) {
			word = others[i].term;
			break;
		}
	for (unsigned i = 0; i < glossary_term_count; i++)
		if (same_word(glossary_terms[i].name, word))
			return &glossary_terms[i];
	return NULL;
}

/* True if `word` is the mnemonic, perhaps with an atomic instruction's ordering suffix. */
static bool is_mnemonic(const struct glossary_instruction *in, const char *word)
{
	const char *name = glossary_mnemonic(in);
	const size_t n = strlen(name);
	if (strncmp(name, word, n) != 0)
		return false;
	word += n;
	return !*word || (op_info[in->op].klass == CLASS_AMO &&
	                  (!strcmp(word, ".aq") || !strcmp(word, ".rl") || !strcmp(word, ".aqrl")));
}

const struct glossary_instruction *glossary_instruction(const char *mnemonic)
{
	for (unsigned i = 0; i < glossary_instruction_count; i++)
		if (is_mnemonic(&glossary_instructions[i], mnemonic))
			return &glossary_instructions[i];
	return NULL;
}

/* Value of a parameter: "lat.int" -> 1. */
static long long glossary_param_value(const struct config *cfg, const char *name)
{
	return (long long)config_get(cfg, param_find(name, NULL));
}

static void glossary_print_cycles(FILE *f, long long n, const char *parameter)
{
	fprintf(f, "%lld cycle%s", n, n == 1 ? "" : "s");
	if (*parameter)
		fprintf(f, " (%s)", parameter);
}

static void put_load(FILE *f, const struct config *cfg)
{
	fputs(" for the address, then\n", f);
	fprintf(f, "  %lld from an older store in the queue (lsq.forward_latency)\n",
	        glossary_param_value(cfg, "lsq.forward_latency"));
	fprintf(f, "  %lld from L1D (l1d.latency)\n", glossary_param_value(cfg, "l1d.latency"));
	fprintf(f, "  %lld more from L2 (l2.latency), and %lld more from memory (mem.latency)\n",
	        glossary_param_value(cfg, "l2.latency"), glossary_param_value(cfg, "mem.latency"));
	fprintf(f, "  %lld before all that if its page is not in the TLB (tlb.penalty)\n",
	        glossary_param_value(cfg, "tlb.penalty"));
}

char *glossary_timing(const struct glossary_instruction *in, const struct config *cfg)
{
	const enum op_class klass = (enum op_class)op_info[in->op].klass;
	const struct class_timing t = class_timing(cfg, klass);
	char *text = NULL, count[16];
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	fprintf(f, "class %s: %s\n", units[klass].name, units[klass].what);
	if (t.pool != FU_NONE) {
		const char *pool = fu_pool_name[t.pool];
		snprintf(count, sizeof count, "fu.%s", pool);
		fprintf(f, "unit: 1 of %lld %s (%s), held for ", glossary_param_value(cfg, count),
		        pool, count);
		glossary_print_cycles(f, t.occupancy, units[klass].occupancy);
		fputc('\n', f);
	}
	fputs("latency: ", f);
	glossary_print_cycles(f, t.latency, units[klass].latency);
	if (klass == CLASS_LOAD || klass == CLASS_AMO)
		put_load(f, cfg);
	else if (klass == CLASS_STORE)
		fputs(" for the address\n"
		      "  complete when its data is there too; goes to L1D when it has committed,\n"
		      "  through the write buffer (l1d.write_buffer)\n", f);
	else
		fputc('\n', f);
	fclose(f);
	return text;
}

const char *glossary_name(unsigned i)
{
	if (i < glossary_term_count)
		return glossary_terms[i].name;
	i -= glossary_term_count;
	if (i < OTHER_COUNT)
		return others[i].name;
	i -= OTHER_COUNT;
	return i < glossary_instruction_count ? glossary_mnemonic(&glossary_instructions[i]) : NULL;
}

bool glossary_words_within(const char *text, char *out, size_t n)
{
	enum { WORDS_MAX = 8 };
	size_t begin[WORDS_MAX], end[WORDS_MAX];
	unsigned count = 0;
	for (size_t at = strspn(text, " "); text[at] && count < WORDS_MAX; count++) {
		begin[count] = at;
		end[count] = at += strcspn(text + at, " ");
		at += strspn(text + at, " ");
	}
	for (unsigned words = count - (count > 0); words; words--)
		for (unsigned i = 0; i + words <= count; i++) {
			const size_t length = end[i + words - 1] - begin[i];
			snprintf(out, n, "%.*s", (int)length, text + begin[i]);
			if (length > 2 && length < n && glossary_term(out))
				return true;
		}
	return false;
}
