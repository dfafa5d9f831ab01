/* The microassembler: each of its errors, once. */
#include "core/prof/cop/micro_asm.h"

#include "tests/unit/prof/micro_fixture.h"

#include "core/base/hash.h"
#include "core/defs/events.h"
#include "core/prof/cop/micro_code.h"

/* ---- errors ---- */
static const struct {
	const char *text, *msg;
} errors[] = {
	{"", "t: no microinstruction; expected one as in 'match x0, pc | if miss goto new'"},
	{"# nothing\n\n",
         "t: no microinstruction; expected one as in 'match x0, pc | if miss goto new'"},
	{"nop", "t:1:1: the program runs past its last microinstruction; expected done, goto or "
                "interrupt there"},
	{"nop\nif z done", "t:2:1: the program runs past its last microinstruction; expected "
                           "done, goto or interrupt there"},
	{"ad v1, v2, v3 | done", "t:1:1: no operation 'ad'; did you mean 'add'?"},
	{"zzzz | done", "t:1:1: no operation 'zzzz'; expected one of `cyclops help microcode`"},
	{"done |",
         "t:1:7: an operation is missing; expected one as in 'match x0, pc | if miss goto new'"},
	{"done , v1", "t:1:6: the line should end here: there is ','; expected operations "
                      "separated by |, operands by commas"},
	{"  inc b1[x0] | read v1, b0[x0] | done",
         "t:1:16: both 'inc b1[x0]' (column 3) and 'read v1, b0[x0]' need the data array's port; "
         "use two microinstructions"},
	{"add v1, v2, v3 | sub v4, v5, v6 | done",
         "t:1:18: both 'add v1, v2, v3' (column 1) and 'sub v4, v5, v6' need the main ALU; use two "
         "microinstructions"},
	{"inc x1 | add x2, x3, 1 | done", "t:1:10: both 'inc x1' (column 1) and 'add x2, x3, 1' "
                                          "need the index ALU; use two microinstructions"},
	{"match x0, pc | free x1 | done",
         "t:1:16: both 'match x0, pc' (column 1) and 'free x1' need the associative array's port; "
         "use two microinstructions"},
	{"if z done | goto t0", "t:1:13: both 'if z done' (column 1) and 'goto t0' need the branch "
                                "slot; use two microinstructions"},
	{"add v1, v2, v3 | mov x1, v5 | done",
         "t:1:26: both 'add v1, v2, v3' (column 1) and 'mov x1, v5' need the main ALU's first "
         "source; use the same one, or two microinstructions"},
	{"mov v1, v2 | read v1, b0 | done", "t:1:14: both 'mov v1, v2' (column 1) and 'read v1, "
                                            "b0' need to write v1; use two microinstructions"},
	{"match x3, pc | inc x3 | done", "t:1:16: both 'match x3, pc' (column 1) and 'inc x3' need "
                                         "to write x3; use two microinstructions"},
	{"add v1, v2, 5 | add x1, x2, 7 | done",
         "t:1:29: two literals, 5 ('add v1, v2, 5', column 1) and 7: there is room for one; put "
         "one of them into a constant (.const k0 = ...)"},
	{"mov v1, 65536 | done", "t:1:9: 65536 does not fit the literal; expected 0 to 65535; put "
                                 "larger numbers into a constant (.const k0 = ...)"},
	{"mov v1, -1 | done", "t:1:9: -1 does not fit the literal; expected 0 to 65535; put larger "
                              "numbers into a constant (.const k0 = ...)"},
	{"mov v16, v1 | done", "t:1:5: no register 'v16'; expected v0 to v15"},
	{"mov t0, v1 | done", "t:1:5: 't0' is a target register, which no operation reads or "
                              "writes; expected .target t0 = LABEL, and goto t0 there"},
	{"cmp v1, t3 | done", "t:1:9: 't3' is a target register, which no operation reads or "
                              "writes; expected .target t3 = LABEL, and goto t3 there"},
	{".name far = t3\nmov v1, far | done", "t:2:9: 'far' is a target register, which no "
                                               "operation reads or writes; expected .target t3 "
                                               "= LABEL, and goto t3 there"},
	{"mov t8, v1 | done", "t:1:5: no register 't8'; expected t0 to t7"},
	{"mov k3, v1 | done",
         "t:1:5: k3 is a constant, which no operation writes; expected a value "
         "register, v0 to v15, or .const k3 = NUMBER"},
	{"mov b2, v1 | done", "t:1:5: b2 is a base register, which no operation writes; expected "
                              ".base b2 = NUMBER, or for the data array write b2, v0"},
	{"mov v1, x8 | done", "t:1:9: no register 'x8'; expected x0 to x7"},
	{"mov v1, resul | done", "t:1:9: nothing is called 'resul'; did you mean 'result'?"},
	{"a: mov v1, a | done",
         "t:1:12: 'a' is a label, which is no operand; expected a register, a "
         "field of the record or a number"},
	{"mov v1 | done", "t:1:1: 'mov v1' is not how mov is written; expected mov v0, a, where a "
                          "and b are sources"},
	{"add v1, v2 | done",
         "t:1:1: 'add v1, v2' is not how add is written; expected add v0, a, b, "
         "where a and b are sources"},
	{"mov v1, v2, v3, v4 | done",
         "t:1:17: mov has at most 3 operands; separate operations by |"},
	{"mov v1, | done", "t:1:9: an operand is missing after the comma"},
	{"inc v5, x3, 8 | done", "t:1:1: 'inc v5, x3, 8' is not how inc is written; "
                                 "expected inc x0, or inc x0, x1, b: x1 + 1, but 0 if that is b"},
	{"inc.9 b0[x0] | done", "t:1:1: inc.9: no such width here; expected .8, .16, .32"},
	{"inc.64 b0[x0] | done", "t:1:1: inc.64: no such width here; expected .8, .16, .32"},
	{"inc.16 b0[x0].2 | done", "t:1:8: no lane 2 of 16 bits in a word of 32; expected 0 to 1"},
	{"inc.8 b0[x0].4 | done", "t:1:14: 4 is too much for a lane; expected 0 to 3"},
	{"inc b0[v1] | done",
         "t:1:8: 'v1' can't be added to a base; expected x0 to x7, match, a number"},
	{"inc b0[x1 | done", "t:1:11: ']' is missing: there is '|'; expected b0[x1]"},
	{"write v1, b0[x1] | done",
         "t:1:1: 'write v1, b0[x1]' is not how write is written; expected "
         "write b0[x0], source, with a width as in write.8"},
	{"match.8 x0, pc | done",
         "t:1:1: the associative array has no widths (.8); expected match"},
	{"match v0, pc | done",
         "t:1:1: 'match v0, pc' is not how match is written; expected match x0, source"},
	{"read v0, cam[v1] | done",
         "t:1:14: 'v1' is no register that belongs here; expected x0 to x7"},
	{"if zz done", "t:1:4: no condition 'zz'; did you mean 'z'?"},
	{"if z", "t:1:5: no target; expected goto LABEL, goto t0, done or interrupt"},
	{"goto nowhere", "t:1:6: no label 'nowhere'"},
	{"loop: nop\ngoto lop", "t:2:6: no label 'lop'; did you mean 'loop'?"},
	{"goto +64", "t:1:6: 64 microinstructions are too far; expected -64 to 63, or through a "
                     "register: .target t0 = LABEL, goto t0"},
	{"goto -65", "t:1:7: 65 is too much for an offset; expected 0 to 64"},
	{"a: nop\na: done", "t:2:1: 'a' is a label already, since line 1; use another name"},
	{"pc: done", "t:1:1: 'pc' has a meaning already; use another name"},
	{"v3: done", "t:1:1: 'v3' has a meaning already; use another name"},
	{"abcdefghijabcdefghijabcdefghijab: done",
         "t:1:1: 'abcdefghijabcdefghijabcdefghijab' is too long; expected at most 31 letters"},
	{".felds load: pc\ndone", "t:1:1: no directive '.felds'; did you mean '.fields'?"},
	{".\ndone", "t:1:1: no directive '.'; expected .program .fields .on .const .base .target "
                    ".value .index .name .equ .column"},
	{".fields laod: pc\ndone", "t:1:9: no class 'laod'; did you mean 'load'? (load, store, "
                                   "atomic, branch, jump, int, mul, div, fp, system)"},
	{".fields load: pcc\ndone",
         "t:1:15: no field 'pcc'; did you mean 'pc'? (pc, inst, rs1, rs2, result, addr, target)"},
	{".fields load: latency\ndone",
         "t:1:15: 'latency' is in every record; expected those of pc, inst, rs1, rs2, result, "
         "addr, target that the program reads"},
	{".fields load pc\ndone",
         "t:1:14: ':' is missing: there is 'pc'; expected .fields load: pc, result"},
	{".fields load: pc\n.fields store, load: pc\ndone",
         "t:2:9: line 1 already lists the fields of 'load'; expected one .fields for each class"},
	{".fields load: pc\nl: done",
         "t:1:1: records of 'load' have no routine; expected .on load: LABEL"},
	{".on load: l\nl: done", "t:1:1: 'load' is not sampled; expected .fields load: FIELD, ..."},
	{".fields load: pc\n.on load: l\n.on load: l\nl: done",
         "t:3:5: line 2 already gives 'load' a routine; expected one .on for each class"},
	{".fields load: pc\n.on load: l\ndone\nl:",
         "t:2:1: the routine of 'load' is a label with no microinstruction after it"},
	{".fields load: pc\n.on load: l\nl: mov v1, result | done",
         "t:3:1: this needs 'result', which records of 'load' don't carry; expected "
         ".fields load: result, ..."},
	{".fields load: pc\n.on load: l\nl: mov x1, dest | done",
         "t:3:1: this needs 'inst', which records of 'load' don't carry; expected .fields "
         "load: inst, ..."},
	/* A routine may read only fields of all its classes' records, unless the program has tested
	 * the class. */
	{".fields load: pc, addr\n.fields store: pc\n.on load, store: l\nl: nop\nmov v1, addr | "
         "done",
         "t:5:1: this needs 'addr', which records of 'store' don't carry; expected "
         ".fields store: addr, ..."},
	{".fields load: addr\n.fields store: pc\n.on load: l\n.on store: s\n.target t1 = m\nl: mov "
         "v1, addr | done\ns: nop | if z goto t1\ndone\nm: write b0, addr | done",
         "t:9:1: this needs 'addr', which records of 'store' don't carry; expected "
         ".fields store: addr, ..."},
	{".fields load: addr\n.fields store:\n.on load: l\n.on store: s\ns: cmp class, CLASS_STORE "
         "| if z goto l\ndone\nl: match x0, rs1 | done",
         "t:7:1: this needs 'rs1', which records of 'load' don't carry; expected .fields "
         "load: rs1, ..."},
	{".fields load: addr\n.on load: l\nl: done\nmov v1, rs1 | done",
         "t:4:1: this needs 'rs1', which no record carries; expected .fields CLASS: rs1, "
         "..."},
	{".const k16 = 1\ndone",
         "t:1:8: 'k16' is no register that belongs here; expected k0 to k15"},
	{".const k1 1\ndone", "t:1:11: '=' is missing: there is '1'; expected .const k0 = 255"},
	{".const k1 = 18446744073709551616\ndone",
         "t:1:13: 18446744073709551616 is too large; expected at most 64 bits"},
	{".const k1 = 0xfg\ndone", "t:1:13: '0xfg' is no number; expected 10, 0xa or 0b1010"},
	{".const k1 = 1 / 0\ndone", "t:1:17: this divides by 0"},
	{".const k1 = 1 << 64\ndone", "t:1:18: this shifts by 64; expected at most 63"},
	{".const k1 = 1 + )\ndone", "t:1:17: a number is missing: there is ')'"},
	{".const k1 = (1\ndone", "t:1:15: ')' is missing: the line ends; expected as many ) as ("},
	{".const k1 = 1 1\ndone",
         "t:1:15: the line should end here: there is '1'; expected .const k0 = NUMBER"},
	{".base b1 = 65536\ndone",
         "t:1:12: 65536 is too much for a base register; expected 0 to 65535"},
	{".target t1 = x\ndone", "t:1:14: no label 'x'"},
	{".name pc = v1\ndone", "t:1:7: 'pc' has a meaning already; use another name"},
	{".name hits = 3\ndone",
         "t:1:14: '' is no register; expected v0-v15, k0-k15, x0-x7, b0-b7, t0-t7"},
	{".equ TAKEN = 3\ndone",
         "t:1:6: 'TAKEN' is a number in every program (1); use another name"},
	{".equ A = 3\n.equ A = 4\ndone",
         "t:2:6: 'A' is a number already, since line 1; use another name"},
	{".equ A = B\ndone", "t:1:10: no number 'B'"},
	{".program\ndone", "t:1:9: a name of 1 to 31 letters, digits, '-' and '_' is needed; "
                           "expected .program value-profile \"what it does\""},
	{".program a \"b\ndone",
         "t:1:12: the closing '\"' is missing; expected at most 127 letters between two '\"'"},
	{".column a = data b0 width 7\ndone", "t:1:27: no width of 7 bits; expected 8, 16 or 32"},
	{".column a = data b0 width 16 lane 2\ndone",
         "t:1:35: 2 is too much for a lane of that width; expected 0 to 1"},
	{".column a = ratio b c\ndone",
         "t:1:19: no column 'b' above this line; expected .column NAME = ratio COLUMN COLUMN"},
	{".column a = cam as pie\ndone",
         "t:1:20: it can't be shown as 'pie'; expected number, hex, pc or percent"},
	{"\tnop\n\t\xff | done",
         "t:2:2: an operation is missing; expected one as in 'match x0, pc | if miss goto new'"},
};

TEST(test_micro_asm_errors)
{
	unsigned wrong = 0;
	(void)state;
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) {
		struct micro_image image, before;
		struct err err = {""};
		memset(&image, 0x5a, sizeof image);
		before = image;
		if (micro_assemble(errors[i].text, strlen(errors[i].text), "t", NULL, 0, &image,
		                   &err)) {
			print_message("'%s' is assembled\n", errors[i].text);
			micro_image_free(&image);
			wrong++;
		} else if (strcmp(err.msg, errors[i].msg) != 0) {
			print_message("'%s' is\n  %s, not\n  %s\n", errors[i].text, err.msg,
			              errors[i].msg);
			wrong++;
		} else {
			assert_memory_equal(&image, &before, sizeof image);
		}
	}
	assert_int_equal(wrong, 0);
}

/* A program that tests the class, in any form, may read its fields. */
TEST(test_class)
{
	static const char *const look[] = {"cmp class, CLASS_LOAD | if z", "cmp v1, class | if z",
	                                   "match x0, class | if hit"};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct micro_image image;
		struct err err = {""};
		char text[256];
		snprintf(text, sizeof text,
		         ".fields load: addr\n.fields store: pc\n.on load, store: l\nl: %s goto "
		         "m\ndone\nm: mov v1, addr | done",
		         look[i]);
		if (!micro_assemble(text, strlen(text), "t", NULL, 0, &image, &err))
			fail_msg("%s: %s", look[i], err.msg);
		micro_image_free(&image);
	}
}

/* Each wrong line is reported, in order; consequences of others are not. */
TEST(test_several)
{
	static const char text[] =
		".program p\n"              /* 1 */
		".fields load: pc, bogus\n" /* 2 */
		".equ A = B + 1\n"          /* 3 */
		".const k0 = A\n"           /* follows */
		".name n = q3\n"            /* 5 */
		"l: mov n, v1\n"            /* follows */
		"mov t0, v1\n"              /* 7 */
		/* 8: labels' errors come first, in the order of lines; A's hides the other */
		"pc: mov v0, A | adx v1\n"
		".column c = data zz\n"   /* 9 */
		".column d = ratio c c\n" /* follows */
		"goto lo\n"               /* 11 */
		"adx v1\n"                /* 12 */
		"goto m\n"                /* correct: the label's place is 14 */
		"m: nop\n";               /* if the other lines were right */
	static const char *const begins[] = {"t:2:19: no field 'bogus'",
	                                     "t:3:10: no number 'B'",
	                                     "t:5:11: 'q3' is no register",
	                                     "t:7:5: 't0' is a target",
	                                     "t:8:1: 'pc' has a meaning already",
	                                     "t:9:18: 'zz' is no register",
	                                     "t:11:6: no label 'lo'; did you mean 'l'?",
	                                     "t:12:1: no operation 'adx'",
	                                     "t:14:1: the program runs past"};
	enum { COUNT = sizeof begins / sizeof *begins };
	struct micro_image image;
	struct micro_mistakes all;
	struct err err;
	char many[400] = "";
	(void)state;
	assert_false(micro_assemble_all(text, sizeof text - 1, "t", NULL, 0, &image, &all, &err));
	for (unsigned i = 0; i < all.count && i < COUNT; i++)
		if (strncmp(all.each[i].msg, begins[i], strlen(begins[i])) != 0)
			fail_msg("'%s' should begin with '%s'", all.each[i].msg, begins[i]);
	assert_int_equal(all.count, COUNT);
	assert_string_equal(err.msg,
	                    "t:2:19: no field 'bogus'; expected pc, inst, rs1, rs2, result, "
	                    "addr, target (and 8 more mistakes, the next in line 3)");
	micro_mistakes_free(&all);
	assert_true(micro_assemble_all("done", 4, "t", NULL, 0, &image, &all, &err));
	assert_true(!all.count && !all.each);
	micro_image_free(&image);
	for (unsigned i = 0; i < 60; i++)
		strcat(many, "mov x\n");
	assert_false(micro_assemble_all(many, strlen(many), "t", NULL, 0, &image, &all, &err));
	assert_int_equal(all.count, MICRO_MISTAKES_MAX);
	assert_non_null(strstr(err.msg, "(and at least 49 more mistakes, the next in line 2)"));
	micro_mistakes_free(&all);
	/* The given text is quoted, though its line is wrong. */
	static const char given[] = ".equ A = zz\n.const k0 = A\ndone";
	const struct micro_define a = {"A", 3};
	assert_false(micro_assemble_all(given, sizeof given - 1, "t", &a, 1, &image, &all, &err));
	assert_string_equal(err.msg, "t:1:10: no number 'zz'");
	micro_mistakes_free(&all);
}

/* Deeply nested brackets end in an error, not in a stack overflow. */
TEST(test_depth)
{
	enum { DEEP = 1000000 };
	static const char begin[] = "done\n.const k0 = ";
	char *text = malloc(sizeof begin + DEEP);
	struct micro_image image;
	struct err err;
	(void)state;
	assert_non_null(text);
	memcpy(text, begin, sizeof begin - 1);
	memset(text + sizeof begin - 1, '(', DEEP);
	assert_false(micro_assemble(text, sizeof begin - 1 + DEEP, "t", NULL, 0, &image, &err));
	assert_string_equal(err.msg, "t:2:46: more than 32 brackets and signs in one another");
	memset(text + sizeof begin - 1, '-', DEEP);
	assert_false(micro_assemble(text, sizeof begin - 1 + DEEP, "t", NULL, 0, &image, &err));
	assert_string_equal(err.msg, "t:2:46: more than 32 brackets and signs in one another");
	free(text);
}

/* 64 microinstructions back and 63 on are reached, one more is not. */
TEST(test_reach)
{
	for (int offset = -66; offset <= 65; offset++) {
		char text[2048] = "", line[32];
		for (int i = 0; i < 140; i++) {
			if (i == 70)
				snprintf(line, sizeof line, "goto l%d\n", 70 + offset);
			else
				snprintf(line, sizeof line, "l%d: %s\n", i,
				         i == 139 ? "done" : "nop");
			strcat(text, line);
		}
		struct micro_image image;
		struct err err;
		const bool ok = micro_assemble(text, strlen(text), "t", NULL, 0, &image, &err);
		assert_int_equal(ok, offset >= -64 && offset <= 63 && offset != 0);
		if (!ok)
			continue;
		const struct micro_inst in = micro_unpack(image.words[70]);
		assert_int_equal(micro_offset(&in), offset);
		micro_image_free(&image);
	}
}
