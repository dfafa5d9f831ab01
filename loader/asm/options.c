/* Options of the text: .option, and the architecture that .attribute names. */
#include <string.h>

#include "loader/asm/directives.h"

struct span option_attribute_arch(struct span s)
{
	static const char *const tags[] = {"arch", "Tag_RISCV_arch", "5"};
	s = span_trim(s);
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		const size_t tag = strlen(tags[i]);
		if (s.n <= tag || memcmp(s.at, tags[i], tag) != 0)
			continue;
		struct span value = span_trim((struct span){s.at + tag, s.n - tag});
		if (!value.n || *value.at != ',')
			continue;
		value = span_trim((struct span){value.at + 1, value.n - 1});
		if (value.n > 2 && *value.at == '"')
			return (struct span){value.at + 1, value.n - 2};
	}
	return (struct span){"", 0};
}

/* The program is for the first architecture that its texts name; any other is reported. */
static bool option_check_arch(struct assembler *a, struct span arch)
{
	const bool narrow = arch.n > 4 && !memcmp(arch.at, "rv32", 4);
	if (arch.n <= 4 || (!narrow && memcmp(arch.at, "rv64", 4) != 0))
		return asm_fault(a, arch.at, "%.*s: expected an architecture of rv32 or rv64",
		                 (int)arch.n, arch.at);
	return narrow == a->rv32 ||
	       asm_fault(a, arch.at,
	                 "%.*s: the program is assembled for rv%d; expected such an architecture, "
	                 "or .attribute arch,\"rv%dgc\" alone",
	                 (int)arch.n, arch.at, narrow ? 64 : 32, narrow ? 32 : 64);
}

static bool option_attribute(struct assembler *a, struct arguments *g)
{
	const struct span arch = option_attribute_arch(g->rest);
	return !arch.n || option_check_arch(a, arch);
}

static bool option_directive(struct assembler *a, struct arguments *g)
{
	static const char *const ignored[] = {"relax", "norelax", "csr-check", "no-csr-check"};
	const struct span s = span_trim(g->rest);
	if (span_is(s, "push")) {
		if (a->options_depth == ASM_OPTIONS_DEPTH)
			return asm_fault(a, s.at, "at most %d options are kept", ASM_OPTIONS_DEPTH);
		a->options_stack[a->options_depth].rvc = a->rvc;
		a->options_stack[a->options_depth++].pic = a->pic;
		return true;
	}
	if (span_is(s, "pop")) {
		if (!a->options_depth)
			return asm_fault(a, s.at, ".option pop without .option push");
		a->rvc = a->options_stack[--a->options_depth].rvc;
		a->pic = a->options_stack[a->options_depth].pic;
		return true;
	}
	if (span_is(s, "rvc") || span_is(s, "norvc")) {
		a->rvc = s.n == 3;
		a->rvc_ever |= a->rvc;
		if (a->rvc && section_now(a)->kind == SECTION_TEXT && section_now(a)->align == 4 &&
		    !section_now(a)->count)
			section_now(a)->align = 2;
		return true;
	}
	if (span_is(s, "pic") || span_is(s, "nopic")) {
		a->pic = s.n == 3;
		return true;
	}
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (span_is(s, ignored[i]))
			return true;
	if (s.n <= 5 || memcmp(s.at, "arch,", 5) != 0)
		return asm_fault(a, s.at, "expected .option push, pop, rvc, norvc");
	const struct span arch = span_trim((struct span){s.at + 5, s.n - 5});
	return *arch.at == '+' || *arch.at == '-' || option_check_arch(a, arch);
}

const struct directive option_directives[] = {
	{".option", option_directive, 0, false},
	{".attribute", option_attribute, 0, false},
	{0},
};
