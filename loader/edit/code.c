/* Finds instructions, the places that they refer to, and functions.
 *
 * References come from the linker's relocations, never from guessing at values; auipc_pairs.c
 * handles an auipc without one. The target of a branch, a jump or a pair of pc-relative halves is
 * decoded from the bytes; check_code.c checks that relocations agree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

/* ---- instructions ---- */
/* Parcels, 2 bytes each, of one section that are data: under `$d` symbols and relocations of
 * data. */
struct parcels {
	uint8_t *data; /* [count], owned */
	uint64_t base, count;
};

static void mark_data(struct parcels *p, uint64_t from, uint64_t to)
{
	for (uint64_t at = (from - p->base) / 2; at < p->count && p->base + 2 * at < to; at++)
		p->data[at] = 1;
}

static int edit_code_compare_by_address(const void *a, const void *b)
{
	uint64_t x = (*(const Elf64_Sym *const *)a)->st_value,
		 y = (*(const Elf64_Sym *const *)b)->st_value;
	return x < y ? -1 : x > y;
}

/* Marks data by mapping symbols: from `$d` to the next `$x`. */
static bool mark_mapped(const struct edit *e, uint32_t section, struct parcels *p)
{
	const Elf64_Sym **map = alloc_bytes((e->symbol_count + 1) * sizeof *map);
	size_t n = 0;
	if (!map)
		return false;
	for (uint32_t i = 0; i < e->symbol_count; i++) {
		const char *name = edit_symbol_name(e, &e->symbols[i]);
		if (e->symbols[i].st_shndx == section && name[0] == '$' &&
		    (name[1] == 'x' || name[1] == 'd'))
			map[n++] = &e->symbols[i];
	}
	sort_stable(map, n, sizeof *map, edit_code_compare_by_address);
	for (size_t i = 0; i < n; i++)
		if (edit_symbol_name(e, map[i])[1] == 'd')
			mark_data(p, map[i]->st_value,
			          i + 1 < n ? map[i + 1]->st_value : p->base + 2 * p->count);
	free(map);
	return true;
}

static unsigned data_bytes(uint32_t type)
{
	switch (type) {
	case R_RISCV_64: case R_RISCV_ADD64: case R_RISCV_SUB64:
		return 8;
	case R_RISCV_32:
	case R_RISCV_ADD32:
	case R_RISCV_SUB32:
	case R_RISCV_SET32:
	case R_RISCV_32_PCREL:
		return 4;
	case R_RISCV_ADD16: case R_RISCV_SUB16: case R_RISCV_SET16:
		return 2;
	default:
		return 0;
	}
}

static void mark_relocated(const struct edit *e, uint32_t section, struct parcels *p)
{
	size_t i, end;
	for (edit_relocs_of(e, section, &i, &end); i < end; i++) {
		unsigned n = data_bytes(e->relocs[i].type);
		if (n)
			mark_data(p, e->relocs[i].at, e->relocs[i].at + n);
	}
}

static void decode_section(struct edit *e, uint32_t section, const struct parcels *p)
{
	struct edit_section *s = &e->sections[section];
	s->first = e->inst_count;
	for (uint64_t at = 0; at + 2 <= s->head.sh_size;) {
		s->inst[at / 2] = e->inst_count + 1;
		struct edit_inst *i = &e->insts[e->inst_count++];
		uint32_t raw = 0;
		const uint64_t left = s->head.sh_size - at;
		memcpy(&raw, s->bytes + at, left < 4 ? 2 : 4);
		*i = (struct edit_inst){.addr = s->head.sh_addr + at, .high = EDIT_NONE};
		inst_decode(raw, &i->in);
		if (p->data[at / 2] || i->in.op == OP_ILLEGAL ||
		    (i->in.len == 4 && (left < 4 || p->data[at / 2 + 1]))) {
			i->flags = EDIT_DATA;
			i->in = (struct inst){
				.op = OP_ILLEGAL, .len = 2, .rd = REG_SINK, .raw = raw & 0xffff};
		}
		at += i->in.len;
	}
	s->count = e->inst_count - s->first;
}

static bool edit_code_decode_all(struct edit *e, struct err *err)
{
	uint64_t parcels = 0;
	for (uint32_t i = 1; i < e->section_count; i++)
		parcels += e->sections[i].code ? e->sections[i].head.sh_size / 2 : 0;
	if (parcels >= EDIT_NONE / 4)
		return err_set(err, "%s: %" PRIu64 " bytes of code; the editor takes at most 2 GB",
		               e->p->path, 2 * parcels);
	e->insts = alloc_zeroed(parcels + 1, sizeof *e->insts);
	if (!e->insts)
		return err_set(err, "out of memory for the instructions of %s", e->p->path);
	for (uint32_t i = 1; i < e->section_count; i++) {
		struct edit_section *s = &e->sections[i];
		if (!s->code)
			continue;
		struct parcels p = {alloc_zeroed(s->head.sh_size / 2 + 1, 1), s->head.sh_addr,
		                    s->head.sh_size / 2};
		s->inst = alloc_zeroed(s->head.sh_size / 2 + 1, sizeof *s->inst);
		bool ok = p.data && s->inst && mark_mapped(e, i, &p);
		if (ok) {
			mark_relocated(e, i, &p);
			decode_section(e, i, &p);
		}
		free(p.data);
		if (!ok)
			return err_set(err, "out of memory for the code of %s", e->p->path);
	}
	return true;
}

/* ---- references ---- */
static bool edit_code_report_inst(const struct edit *e, const struct edit_inst *i, const char *what,
                                  struct err *err)
{
	char where[256], text[96];
	return err_set(err, "%s: %s at %s (0x%" PRIx64 "): %s", e->p->path,
	               inst_disasm(&i->in, i->addr, text, sizeof text),
	               program_addr_text(e->p, i->addr, where, sizeof where), i->addr, what);
}

/* The instruction of a relocation; NULL if it is in data, which data.c handles. */
static struct edit_inst *edit_code_inst_of_reloc(const struct edit *e, const struct edit_reloc *r)
{
	uint32_t i = edit_inst_at(e, r->at);
	return i == EDIT_NONE || (e->insts[i].flags & EDIT_DATA) ? NULL : &e->insts[i];
}

static bool high_part(struct edit *e, const struct edit_reloc *r, struct err *err)
{
	struct edit_inst *i = edit_code_inst_of_reloc(e, r);
	const bool call = r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT;
	if (i && call && i->in.op == OP_JAL)
		return true; /* the linker relaxed the pair to one jump */
	if (!i || i->in.op != OP_AUIPC)
		return err_set(
			err, "%s: a relocation at 0x%" PRIx64 " is of an auipc, but there is none",
			e->p->path, r->at);
	i->ref = REF_HIGH;
	/* Only the low part of a global offset table's slot has the address. */
	i->target = r->type == R_RISCV_PCREL_HI20 || call ? r->value : 0;
	i->of_code = i->target && r->moves;
	if (!call)
		return true;
	struct edit_inst *jump = i + 1 < e->insts + e->inst_count ? i + 1 : NULL;
	/* An undefined function is called at 0, without the high part. */
	if (jump && jump->in.op == OP_JALR && !jump->in.rs1 && !r->value)
		return true;
	if (!jump || jump->in.op != OP_JALR || jump->in.rs1 != i->in.rd)
		return edit_code_report_inst(e, i, "a call whose second half is not after it", err);
	jump->ref = REF_LOW;
	jump->high = (uint32_t)(i - e->insts);
	return true;
}

static bool low_part(struct edit *e, const struct edit_reloc *r, struct err *err)
{
	struct edit_inst *i = edit_code_inst_of_reloc(e, r);
	uint32_t high = edit_inst_at(e, r->value);
	if (!i || high == EDIT_NONE || e->insts[high].in.op != OP_AUIPC)
		return err_set(err,
		               "%s: the relocation at 0x%" PRIx64
		               " belongs to an auipc at 0x%" PRIx64 ", where there is none",
		               e->p->path, r->at, r->value);
	i->ref = REF_LOW;
	i->high = high;
	return true;
}

static bool absolute_part(struct edit *e, const struct edit_reloc *r, bool high, struct err *err)
{
	struct edit_inst *i = edit_code_inst_of_reloc(e, r);
	if (!i || !r->moves)
		return true; /* data does not move */
	if (high && i->in.op != OP_LUI)
		return edit_code_report_inst(
			e, i,
			"an absolute address of code in an instruction that is no lui "
			"(compile with -mcmodel=medany)",
			err);
	i->ref = high ? REF_ABS_HIGH : REF_ABS_LOW;
	i->target = r->value;
	i->of_code = true;
	return true;
}

static bool edit_code_apply_reloc(struct edit *e, const struct edit_reloc *r, struct err *err)
{
	switch (r->type) {
	case R_RISCV_PCREL_HI20:
	case R_RISCV_GOT_HI20:
	case R_RISCV_TLS_GOT_HI20:
	case R_RISCV_TLS_GD_HI20:
	case R_RISCV_CALL: case R_RISCV_CALL_PLT:
		return high_part(e, r, err);
	case R_RISCV_PCREL_LO12_I: case R_RISCV_PCREL_LO12_S:
		return low_part(e, r, err);
	case R_RISCV_HI20: case R_RISCV_RVC_LUI:
		return absolute_part(e, r, true, err);
	case R_RISCV_LO12_I: case R_RISCV_LO12_S:
		return absolute_part(e, r, false, err);
	case R_RISCV_GPREL_I: case R_RISCV_GPREL_S:
		if (r->moves && edit_code_inst_of_reloc(e, r))
			return edit_code_report_inst(
				e, edit_code_inst_of_reloc(e, r),
				"a gp-relative address of what moves (link with -Wl,--no-relax)",
				err);
		return true;
	default:
		return true; /* branches encode it themselves; tp-relative ones are about data */
	}
}

/* Joins a low part to its pair; the decoded target counts, not the relocation. */
static bool join_pair(struct edit *e, struct edit_inst *low, struct err *err)
{
	struct edit_inst *high = &e->insts[low->high];
	uint64_t target =
		high->addr + (uint64_t)(int64_t)high->in.imm + (uint64_t)(int64_t)low->in.imm;
	if (high->ref != REF_HIGH)
		return edit_code_report_inst(e, low,
		                             "the auipc that it belongs to has no relocation", err);
	if ((high->flags & EDIT_JOINED) && high->target != target)
		return edit_code_report_inst(
			e, low, "its address is not the one that another low part of its auipc has",
			err);
	if (high->target && high->target != target) {
		high->flags |= EDIT_DENIED;
		high->of_code = false;
	}
	high->flags |= EDIT_JOINED;
	high->target = low->target = target;
	return true;
}

static void mark_target(struct edit *e, uint64_t addr, unsigned flags)
{
	uint32_t i = edit_inst_at(e, addr);
	if (i != EDIT_NONE)
		e->insts[i].flags |= (uint8_t)flags;
}

/* Reads all references. *untold: there is an auipc without a relocation. */
static bool find_references(struct edit *e, bool *untold, struct err *err)
{
	for (uint32_t s = 1; s < e->section_count; s++) {
		size_t i, end;
		if (!e->sections[s].code)
			continue;
		for (edit_relocs_of(e, s, &i, &end); i < end; i++)
			if (!edit_code_apply_reloc(e, &e->relocs[i], err))
				return false;
	}
	for (uint32_t k = 0; k < e->inst_count; k++) {
		struct edit_inst *i = &e->insts[k];
		const unsigned flags = inst_flags(&i->in);
		if (i->flags & EDIT_DATA)
			continue;
		if (i->ref == REF_LOW && !join_pair(e, i, err))
			return false;
		/* Far calls are calls. */
		if (i->ref == REF_LOW && (flags & OPF_INDIRECT) && inst_pushes_ras(&i->in))
			mark_target(e, i->target, EDIT_ENTRY);
		if (i->in.op == OP_AUIPC && i->ref != REF_HIGH && i->in.rd < 32) {
			if (k && i[-1].in.op == OP_PI)
				return edit_code_report_inst(
					e, i,
					"a profile instruction without a relocation",
					err);
			i->ref = REF_FIXED;
			*untold = true;
		}
		if ((flags & OPF_CONTROL) && !(flags & OPF_INDIRECT)) {
			i->ref = REF_NEAR;
			i->target = i->addr + (uint64_t)(int64_t)i->in.imm;
			mark_target(e, i->target, EDIT_TARGET);
			if (inst_pushes_ras(&i->in))
				mark_target(e, i->target, EDIT_ENTRY);
		}
	}
	for (uint32_t k = 0; k < e->inst_count; k++)
		if (e->insts[k].ref == REF_HIGH || e->insts[k].ref == REF_ABS_HIGH)
			mark_target(e, e->insts[k].target, EDIT_TARGET | EDIT_TAKEN);
	return true;
}

/* Marks code whose address loaded data holds, except unwind tables, which refer to all code, and
 * tables of landing pads, which also name regions of calls (landing_pads.c). */
static void find_taken(struct edit *e)
{
	for (size_t i = 0; i < e->reloc_count; i++) {
		const struct edit_reloc *r = &e->relocs[i];
		const struct edit_section *s = &e->sections[r->section];
		if (r->moves && (s->head.sh_flags & SHF_ALLOC) && data_bytes(r->type) &&
		    strcmp(s->name, ".eh_frame") != 0 && !edit_is_exception_table(s))
			mark_target(e, r->value, EDIT_TARGET | EDIT_TAKEN);
	}
	/* Resolvers of indirect functions. */
	for (uint32_t s = 1; s < e->section_count; s++) {
		const struct edit_section *rela = &e->sections[s];
		Elf64_Rela r;
		for (size_t k = 0;
		     edit_is_run_time(rela) && (k + 1) * sizeof r <= rela->head.sh_size; k++) {
			memcpy(&r, rela->bytes + k * sizeof r, sizeof r);
			mark_target(e, (uint64_t)r.r_addend, EDIT_TARGET | EDIT_TAKEN);
		}
	}
}

/* ---- functions ---- */
static bool find_functions(struct edit *e, struct err *err)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->symbol_count; i++)
		if (edit_names_function(e, &e->symbols[i]))
			mark_target(e, e->symbols[i].st_value, EDIT_ENTRY);
	mark_target(e, e->p->entry, EDIT_ENTRY | EDIT_TAKEN);
	for (uint32_t s = 1; s < e->section_count; s++)
		if (e->sections[s].code && e->sections[s].count)
			e->insts[e->sections[s].first].flags |= EDIT_ENTRY;
	for (uint32_t k = 0; k < e->inst_count; k++)
		count += (e->insts[k].flags & (EDIT_ENTRY | EDIT_DATA)) == EDIT_ENTRY;
	e->functions = alloc_zeroed(count + 1, sizeof *e->functions);
	if (!e->functions)
		return err_set(err, "out of memory for the functions of %s", e->p->path);
	for (uint32_t k = 0; k < e->inst_count; k++) {
		if ((e->insts[k].flags & (EDIT_ENTRY | EDIT_DATA)) == EDIT_ENTRY)
			e->functions[e->function_count++] =
				(struct edit_function){.name = "", .first = k};
		if (e->function_count)
			e->functions[e->function_count - 1].count++;
		e->insts[k].function = e->function_count ? e->function_count - 1 : 0;
	}
	for (uint32_t f = 0; f < e->function_count; f++) {
		const struct symbol *s =
			program_symbol_at(e->p, e->insts[e->functions[f].first].addr);
		e->functions[f].name = s ? s->name : "";
		e->functions[f].end = s && s->size ? s->addr + s->size : 0;
	}
	return true;
}

bool edit_is_leader(const struct edit *e, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	if (in->flags & (EDIT_ENTRY | EDIT_TARGET))
		return true;
	return i == 0 || (in[-1].flags & EDIT_DATA) || inst_is_control(&in[-1].in);
}

bool edit_read_code(struct edit *e, struct err *err)
{
	bool untold = false;
	if (!edit_code_decode_all(e, err) || !find_references(e, &untold, err))
		return false;
	const uint32_t entry = edit_inst_at(e, e->p->entry);
	if (entry == EDIT_NONE || (e->insts[entry].flags & EDIT_DATA))
		return err_set(err, "%s: it begins at 0x%" PRIx64 ", where it has no code",
		               e->p->path, e->p->entry);
	find_taken(e);
	if (untold)
		edit_find_pairs(e);
	if (!find_functions(e, err))
		return false;
	edit_find_landing_pads(e);
	if (untold)
		edit_mark_fixed(e);
	return edit_find_sequences(e, err) && edit_check_code(e, err);
}
