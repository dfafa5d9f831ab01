/* The glossary explains every mnemonic that the disassembler prints, and no other; classes, units
 * and latencies are the machine's; texts name existing items. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "core/isa/inst.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/view.h"
#include "tests/cases.h"
#include "ui/help/glossary.h"

enum { WIDTH = 78 };

/* ---- instructions ---- */
static bool seen[512];

/* The entry of a disassembled instruction: two words for `pushpf all`, else the first, of a prefix
 * without its type. */
static const struct glossary_instruction *glossary_entry_of_disasm(const char *text)
{
	char word[32];
	const struct glossary_instruction *in = glossary_instruction(text);
	if (in)
		return in;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
	if (!strncmp(word, "pi.", 3))
		word[2] = '\0';
	return glossary_instruction(word);
}

static void decode_one(uint32_t raw)
{
	struct inst in;
	char text[64];
	inst_decode(raw, &in);
	if (in.op == OP_ILLEGAL)
		return;
	inst_disasm(&in, 0x10000, text, sizeof text);
	const struct glossary_instruction *g = glossary_entry_of_disasm(text);
	if (!g)
		fail_msg("'%s' has no entry", text);
	else if (op_info[g->op].klass != in.klass)
		fail_msg("'%s' is explained as %s, of another class", text,
		         op_info[g->op].mnemonic);
	else if (!g->spelling && g->op != in.op)
		fail_msg("'%s' is explained as %s", text, op_info[g->op].mnemonic);
	else
		seen[g - glossary_instructions] = true;
}

static uint32_t glossary_next_random(void)
{
	static uint64_t x = 1;
	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return (uint32_t)(x >> 16);
}

TEST(test_instructions)
{
	static const uint32_t matches[] = {
#define OP(id, mnemonic, match, ...) match,
#include "core/isa/rv64.def"
	};
	static const uint32_t immediates[] = {0,        1,         255,        0xfff,
	                                      0x833,    0xff,      CSR_FFLAGS, CSR_FRM,
	                                      CSR_FCSR, CSR_CYCLE, CSR_TIME,   CSR_INSTRET};
	static const uint32_t registers[] = {0, 1, 10, 31};
	(void)state;
	for (uint32_t raw = 0; raw < 1 << 16; raw++)
		if ((raw & 3) != 3)
			decode_one(raw);
	for (size_t i = 0; i < sizeof matches / sizeof *matches; i++) {
		decode_one(matches[i]);
		for (unsigned k = 0; k < 4 * 4 * 12; k++)
			decode_one(matches[i] | registers[k % 4] << 7 | registers[k / 4 % 4] << 15 |
			           immediates[k / 16] << 20);
		for (unsigned k = 0; k < 2000; k++)
			decode_one(matches[i] | (glossary_next_random() & 0xfff00f80) |
			           (k & 1 ? glossary_next_random() & 0xff000 : 0));
	}
	assert_true(glossary_instruction_count <= sizeof seen);
	for (unsigned i = 0; i < glossary_instruction_count; i++) {
		const char *name = glossary_mnemonic(&glossary_instructions[i]);
		if (!seen[i])
			fail_msg("the decoder does not know '%s', or not first as %s", name,
			         op_info[glossary_instructions[i].op].mnemonic);
		assert_true(strlen(glossary_instructions[i].what) <= WIDTH - 4);
	}
	assert_non_null(glossary_instruction("lr.w.aqrl"));
	assert_null(glossary_instruction("lw.aq"));
	assert_null(glossary_instruction("ad"));
	assert_null(glossary_instruction(""));
}

static void glossary_assert_has(const char *text, const char *part, const char *of)
{
	if (!strstr(text, part))
		fail_msg("%s: '%s' should have '%s' in it", of, text, part);
}

/* The parameters named for each instruction determine its timing in the machine. */
TEST(test_timing)
{
	for (unsigned i = 0; i < glossary_instruction_count; i++) {
		const struct glossary_instruction *in = &glossary_instructions[i];
		const enum op_class klass = (enum op_class)op_info[in->op].klass;
		const char *name = glossary_mnemonic(in);
		struct config cfg;
		char line[96], parameter[32];
		config_default(&cfg);
		char *text = glossary_timing(in, &cfg), *latency = strstr(text, "latency: "),
		     *held = strstr(text, "held for ");
		assert_non_null(latency);
		assert_int_equal(strtoll(latency + 9, NULL, 10), class_timing(&cfg, klass).latency);
		if (sscanf(latency, "latency: %*d cycle%*[s ](%31[a-z_.])", parameter) == 1) {
			assert_true(config_set(&cfg, parameter, "7", NULL));
			assert_int_equal(class_timing(&cfg, klass).latency, 7);
		} else {
			assert_int_equal(class_timing(&cfg, klass).pool, FU_NONE);
		}
		assert_int_equal(!held, class_timing(&cfg, klass).pool == FU_NONE);
		if (held && sscanf(held, "held for %*d cycle%*[s ](%31[a-z_.])", parameter) == 1) {
			assert_true(config_set(&cfg, parameter, "5", NULL));
			assert_int_equal(class_timing(&cfg, klass).occupancy, 5);
		}
		const struct class_timing now = class_timing(&cfg, klass);
		for (const char *s = text; *s; s += strcspn(s, "\n") + 1)
			if (strcspn(s, "\n") > WIDTH)
				fail_msg("%s: %s", name, s);
		free(text);
		text = glossary_timing(in, &cfg);
		if (held) {
			snprintf(line, sizeof line,
			         "1 of %d %s (fu.%s), held for %d cycle",
			         klass == CLASS_INT ? 4 : 2, fu_pool_name[now.pool],
			         fu_pool_name[now.pool], now.occupancy);
			glossary_assert_has(text, line, name);
		}
		snprintf(line, sizeof line, "latency: %d cycle", now.latency);
		glossary_assert_has(text, line, name);
		if (klass == CLASS_LOAD || klass == CLASS_AMO)
			glossary_assert_has(text, "2 from L1D (l1d.latency)", name);
		free(text);
	}
}

/* ---- words ---- */
static bool is_parameter_or_statistic(const char *name)
{
	bool found = param_find(name, NULL);
	for (size_t i = 0; i < stat_row_count; i++)
		found |= !strcmp(stat_rows[i].name, name);
	return found;
}

/* "l1d.size" anywhere in a text is a parameter or a statistic; of "lat.*" there are some. */
static void assert_names(const char *text, const char *of)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
	for (size_t n; *text; text += n ? n : 1) {
		char word[64];
		n = strspn(text, letters);
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		const char *dot = strchr(word, '.');
		if (dot && dot > word && dot[1] && text[n] != '*' && !strchr(dot + 1, '.') &&
		    strcmp(word, "c.addi") != 0 && !glossary_instruction(word) &&
		    !is_parameter_or_statistic(word))
			fail_msg("%s: there is no %s", of, word);
	}
}

/* Checks that `view NAME` and `catch EVENT` name existing views and events. */
static void assert_commands(const char *text, const char *of)
{
	static const char *const shortcuts[] = {"branch", "forward", "miss"};
	for (const char *s = text; (s = strchr(s, '`')); s += strcspn(s + 1, "`") + 2) {
		char name[32] = "";
		bool found = false;
		if (sscanf(s, "`view %31[a-z0-9]", name) == 1)
			found = view_named(NULL, name);
		else if (sscanf(s, "`catch %31[a-z_]", name) == 1) {
			for (int i = 0; i < EV_COUNT; i++)
				found |= !strcmp(event_info[i].name, name);
			for (size_t i = 0; i < sizeof shortcuts / sizeof *shortcuts; i++)
				found |= !strcmp(shortcuts[i], name);
		}
		if (*name && !found)
			fail_msg("%s: there is no %s", of, name);
	}
}

TEST(test_glossary_terms)
{
	const char *name, *other;
	(void)state;
	for (unsigned i = 0; i < glossary_term_count; i++) {
		const struct glossary_term *t = &glossary_terms[i];
		assert_ptr_equal(glossary_term(t->name), t);
		assert_true(*t->summary && strlen(t->summary) <= WIDTH - 2);
		for (const char *s = t->text; *s; s += strcspn(s, "\n") + 1)
			if (strcspn(s, "\n") > WIDTH || !strchr(s, '\n'))
				fail_msg("%s: %s", t->name, s);
		assert_names(t->summary, t->name);
		assert_names(t->text, t->name);
		assert_commands(t->text, t->name);
	}
	/* Every word has an entry, and no word occurs twice. */
	for (unsigned i = 0; (name = glossary_name(i)); i++) {
		if (!glossary_term(name) && !glossary_instruction(name))
			fail_msg("'%s' leads nowhere", name);
		for (unsigned k = 0; k < i && (other = glossary_name(k)); k++)
			if (!strcmp(other, name))
				fail_msg("'%s' is there twice", name);
	}
	assert_string_equal(glossary_term("Wrong-Path")->name, "wrong path");
	assert_string_equal(glossary_term("mshr")->name, "miss register");
	assert_null(glossary_term("wrong"));
	assert_null(glossary_term("wrong path "));
}
