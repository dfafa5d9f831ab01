#include "loader/profile_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa/inst.h"
#include "loader/program_priv.h"

static void count(struct profile_code *c, const struct inst *in)
{
	if (in->op == OP_PI)
		c->insts[in->imm & (PROFILE_TYPES - 1)]++;
	else if (inst_is_xprof(in) && in->op != OP_MARK)
		c->control++;
}

/* Instructions one behind the other: where data stands between them, lengths soon fall into step again. */
static void scan(struct profile_code *c, const uint8_t *code, uint64_t n)
{
	for (uint64_t at = 0; at + 2 <= n;) {
		struct inst in;
		uint32_t raw = (uint32_t)code[at] | (uint32_t)code[at + 1] << 8;
		if ((raw & 3) == 3 && at + 4 <= n)
			raw |= (uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
		inst_decode(raw, &in);
		count(c, &in);
		at += (raw & 3) == 3 ? 4 : 2;
	}
}

static bool scan_sections(struct profile_code *c, const struct program *p)
{
	bool any = false;
	for (Elf_Scn *at = NULL; (at = elf_nextscn(p->elf, at));) {
		const Elf64_Shdr *h = elf64_getshdr(at);
		if (!h || h->sh_type != SHT_PROGBITS || !(h->sh_flags & SHF_EXECINSTR) || h->sh_offset > p->n ||
		    h->sh_size > p->n - h->sh_offset)
			continue;
		scan(c, p->bytes + h->sh_offset, h->sh_size);
		any = true;
	}
	return any;
}

const struct profile_code *program_profile_code(const struct program *p)
{
	struct program_debug *d = p->debug;
	if (d->code_counted)
		return &d->code;
	d->code_counted = true;
	if (!scan_sections(&d->code, p))
		for (size_t i = 0; i < p->segment_count; i++)
			if (p->segments[i].prot & PROT_X)
				scan(&d->code, p->bytes + p->segments[i].offset, p->segments[i].filesz);
	return &d->code;
}
