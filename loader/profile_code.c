#include "loader/profile_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/program_priv.h"

/* Appends an address; drops it if memory is out. */
static void profile_code_append_pc(struct profile_code *c, uint64_t pc)
{
	uint64_t *grown = alloc_grow(c->at, c->count, &c->room, sizeof *grown, 256);
	if (!grown)
		return;
	c->at = grown;
	c->at[c->count++] = pc;
}

static void profile_code_count_inst(struct profile_code *c, const struct inst *in, uint64_t pc)
{
	if (in->op == OP_PI) {
		c->insts[in->imm & (PROFILE_TYPES - 1)]++;
		profile_code_append_pc(c, pc);
	} else if (inst_is_xprof(in) && in->op != OP_MARK) {
		c->control++;
	}
}

/* Scans consecutive instructions; after data in between, lengths soon fall into step again. */
static void profile_code_scan_segment(struct profile_code *c, const uint8_t *code, uint64_t n,
                                      uint64_t addr)
{
	for (uint64_t at = 0; at + 2 <= n;) {
		struct inst in;
		uint32_t raw = (uint32_t)code[at] | (uint32_t)code[at + 1] << 8;
		if ((raw & 3) == 3 && at + 4 <= n)
			raw |= (uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
		inst_decode(raw, &in);
		profile_code_count_inst(c, &in, addr + at);
		at += (raw & 3) == 3 ? 4 : 2;
	}
}

static bool scan_sections(struct profile_code *c, const struct program *p)
{
	bool any = false;
	for (Elf_Scn *at = NULL; (at = elf_nextscn(p->elf, at));) {
		const Elf64_Shdr *h = elf64_getshdr(at);
		if (!h || h->sh_type != SHT_PROGBITS || !(h->sh_flags & SHF_EXECINSTR) ||
		    h->sh_offset > p->n || h->sh_size > p->n - h->sh_offset)
			continue;
		profile_code_scan_segment(c, p->bytes + h->sh_offset, h->sh_size,
		                          h->sh_addr + p->bias);
		any = true;
	}
	return any;
}

const struct profile_code *program_profile_code(const struct program *p)
{
	static const struct profile_code nothing;
	struct program_debug *d = p->debug;
	if (d->code)
		return d->code;
	d->code = alloc_zeroed(1, sizeof *d->code);
	if (!d->code)
		return &nothing;
	if (!scan_sections(d->code, p))
		for (size_t i = 0; i < p->segment_count; i++)
			if (p->segments[i].prot & PROT_X)
				profile_code_scan_segment(d->code, p->bytes + p->segments[i].offset,
				                          p->segments[i].filesz,
				                          p->segments[i].vaddr);
	return d->code;
}

void profile_code_free(struct profile_code *c)
{
	if (c)
		free(c->at);
	free(c);
}
