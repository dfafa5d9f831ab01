/* Disassembly, line by line against objdump: a real static glibc program, and random operands for
 * every operation. Skipped where the cross tools are missing. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/isa/op.h"
#include "tests/cases.h"

#define CROSS "riscv64-linux-gnu-"
/* Of our instructions, those that binutils 2.40 supports. */
#define ARCH "rv64gc_zba_zbb_zbc_zbs_zfh_zihintpause_zicbop_zicbom_zicboz"

static const char program[] =
	"#include <fenv.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"int main(int argc, char **argv) {\n"
	"  double x = atof(argc > 1 ? argv[1] : \"2.5\"); float f = (float)x; "
        "fesetround(FE_UPWARD);\n"
	"  printf(\"%g %g\\n\", sin(x) + pow(x, 1.3) + fma(x, x, x), (double)(f * f + 1 / f - "
        "sqrtf(f)));\n"
	"  return (int)(f < x); }\n";

/* Every alias of a system register access; random numbers would only compare lists of names. */
static const char csr_program[] =
	"frcsr a0\nfscsr a1\nfscsr a0,a1\nfrrm a0\nfsrm a1\nfsrm a0,a1\nfsrmi 3\nfsrmi a0,3\n"
	"frflags a0\nfsflags a1\nfsflags a0,a1\nfsflagsi 31\nfsflagsi a0,31\n"
	"rdcycle a0\nrdtime a0\nrdinstret a0\ncsrr a0,0x7c0\ncsrw 0x7c0,a1\ncsrs fcsr,a1\ncsrc "
        "fcsr,a1\n"
	"csrwi 0x7c0,1\ncsrsi fcsr,1\ncsrci fcsr,1\ncsrrw a0,0x7c0,a1\ncsrrs a0,frm,a1\ncsrrc "
        "a0,fflags,a1\n"
	"csrrwi a0,fcsr,31\ncsrrsi a0,fcsr,31\ncsrrci a0,fcsr,31\nunimp\nfence\nfence rw,w\nfence "
        "i,o\nfence.tso\n"
	"fence.i\necall\nebreak\n";

static bool have_tools(void)
{
	return system("command -v " CROSS "objdump " CROSS "gcc >/dev/null 2>&1") == 0;
}

static void disasm_write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* objdump of binutils 2.40 prints immediate forms under the register form's name ("add a0,a0,1");
 * we print "addi", as the manual does. */
static void name_the_immediate_form(char *text)
{
	static const char *const forms[][2] = {
		{"add", "addi"},     {"addw", "addiw"},   {"and", "andi"},   {"or", "ori"},
		{"xor", "xori"},     {"sll", "slli"},     {"srl", "srli"},   {"sra", "srai"},
		{"sllw", "slliw"},   {"srlw", "srliw"},   {"sraw", "sraiw"}, {"csrrw", "csrrwi"},
		{"csrrs", "csrrsi"}, {"csrrc", "csrrci"}, {"csrw", "csrwi"}, {"csrs", "csrsi"},
		{"csrc", "csrci"},   {"ror", "rori"},     {"rorw", "roriw"}, {"bclr", "bclri"},
		{"bext", "bexti"},   {"binv", "binvi"},   {"bset", "bseti"},
	};
	const char *last = strrchr(text, ',');
	if (!last || !strchr("-0123456789", last[1]))
		return;
	size_t length = strcspn(text, " ");
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (strncmp(text, forms[i][0], length) == 0 && forms[i][0][length] == '\0') {
			char rest[128];
			snprintf(rest, sizeof(rest), "%s", text + length);
			sprintf(text, "%s%s", forms[i][1], rest);
			return;
		}
	}
}

/* Reads a line of objdump without symbols, comments and tabs, targets with 0x. False if it has no
 * instruction, or prints a reserved hint in its own way ("c.li zero,1"). */
static bool disasm_normalize_objdump_line(char *text, const struct inst *in)
{
	char *cut;
	text[strcspn(text, "\n")] = '\0';
	if ((cut = strstr(text, " <")))
		*cut = '\0';
	if ((cut = strstr(text, " #")))
		*cut = '\0';
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	if (text[0] == '.' || strncmp(text, "c.", 2) == 0)
		return false;
	if (in->op == OP_JAL || (inst_flags(in) & OPF_BRANCH)) {
		char *target = strrchr(text, ',') ? strrchr(text, ',') + 1 : strchr(text, ' ') + 1;
		char digits[64];
		snprintf(digits, sizeof(digits), "%s", target);
		sprintf(target, "0x%s", digits);
	}
	name_the_immediate_form(text);
	return true;
}

/* Compares every line of `objdump -d file`; returns the number of instructions compared. */
static unsigned long disasm_compare_objdump(const char *dir, const char *file)
{
	char line[1024];
	unsigned long compared = 0, different = 0;
	snprintf(line, sizeof(line), CROSS "objdump -d %s/%s", dir, file);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		uint64_t pc;
		uint32_t raw;
		int at;
		if (sscanf(line, " %" SCNx64 ":\t%" SCNx32 " %n", &pc, &raw, &at) != 2)
			continue;
		struct inst in;
		char ours[128];
		inst_decode(raw, &in);
		inst_disasm(&in, pc, ours, sizeof(ours));
		if ((inst_flags(&in) & OPF_HINT) || !disasm_normalize_objdump_line(line + at, &in))
			continue;
		compared++;
		if (strcmp(ours, line + at) != 0 && different++ < 20)
			print_message("%" PRIx64 " %" PRIx32 ": ours '%s', objdump '%s'\n", pc, raw,
			              ours, line + at);
	}
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(different, 0);
	return compared;
}

static unsigned long build_and_compare(const char *source_name, const char *text, const char *flags)
{
	char dir[] = "/tmp/test_disasm.XXXXXX";
	char command[512];
	assert_non_null(mkdtemp(dir));
	disasm_write_file(dir, source_name, text);
	snprintf(command, sizeof(command), "cd %s && " CROSS "gcc -march=" ARCH " %s -o out %s -lm",
	         dir, flags, source_name);
	assert_int_equal(system(command), 0);
	unsigned long compared = disasm_compare_objdump(dir, "out");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	return compared;
}

TEST(a_real_program_reads_as_objdump_has_it)
{
	if (!have_tools())
		skip();
	assert_true(build_and_compare("program.c", program, "-O2 -static") > 50000);
}

TEST(system_registers_and_fences)
{
	if (!have_tools())
		skip();
	unsigned long lines = 0;
	for (const char *c = csr_program; *c; c++)
		lines += *c == '\n';
	assert_int_equal(build_and_compare("csr.s", csr_program, "-c"), lines);
}

enum {
#define FORMAT(id, mask, ...) MASK_##id = (int)mask,
#include "core/isa/rv64.def"
	WORDS_PER_OP = 100
};

TEST(every_operation_with_random_operands)
{
	if (!have_tools())
		skip();
	size_t size = 4 << 20;
	char *text = malloc(size), *end = text;
	uint64_t random = 0x9e3779b97f4a7c15;
	assert_non_null(text);
#define OP(id, name, match, format, unit, ...)                                                     \
	for (unsigned i = 0; ((match)&3) == 3 && CLASS_##unit != CLASS_SYSTEM && i < WORDS_PER_OP; \
	     i++) {                                                                                \
		random = random * 6364136223846793005u + 1442695040888963407u;                     \
		end += sprintf(end, ".insn 0x%" PRIx32 "\n",                                       \
		               ((uint32_t)(random >> 32) & ~(uint32_t)MASK_##format) | (match));   \
	}
#include "core/isa/rv64.def"
	/* Only c.addi16sp 0 differs among compressed encodings: it is reserved, but objdump shows
	 * it. */
	for (uint32_t raw = 0; raw < 0x10000; raw++)
		if ((raw & 3) != 3 && raw != 0x6101)
			end += sprintf(end, ".insn 0x%" PRIx32 "\n", raw);
	assert_true((size_t)(end - text) < size);
	unsigned long compared = build_and_compare("random.s", text, "-c");
	free(text);
	assert_true(compared > 50000);
}

TEST(output_is_cut_to_the_buffer)
{
	struct inst in;
	char buf[8];
	memset(buf, 'x', sizeof(buf));
	inst_decode(0xfe010113, &in);
	assert_string_equal(inst_disasm(&in, 0, buf, 6), "addi ");
	assert_int_equal(buf[6], 'x');
	assert_string_equal(inst_disasm(&in, 0, buf, 1), "");
}

TEST(hints_have_xprof_names)
{
	static const struct {
		uint32_t raw;
		const char *text;
	} hints[] = {
		{ 0x0002 | (11 & 31) << 2, "pi.3" },
		{ 0x0000a013 | 16 << 20, "resetpf 0" },
		{ 0x0000a013 | 31 << 20, "setpf 7" },
		{ 0x0002 | (33 & 31) << 2 | 1 << 12, "pushpf 1" },
		{ 0x0000a013 | 42 << 20, "poppf 2" },
		{ 0x0000a013 | 48 << 20, "pushpf all" },
		{ 0x0000a013 | 49 << 20, "poppf all" },
		{ 0x0000a013 | 50 << 20, "mark" },
		{ 0x0000a013 | 51 << 20, "xhint 51" },
		{ 0x0000a013 | 0xfffu << 20, "xhint -1" },
		{ 0x00002013 | 24 << 20, "pblen 24" },
	};
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		struct inst in;
		char buf[32];
		inst_decode(hints[i].raw, &in);
		assert_string_equal(inst_disasm(&in, 0, buf, sizeof(buf)), hints[i].text);
	}
}
