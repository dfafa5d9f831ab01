#include "loader/edit/same_program.h"

#include <inttypes.h>
#include <string.h>

#include "core/isa/op.h"
#include "loader/edit/moved_code.h"
#include "loader/program_priv.h"

/* Reads at most n bytes from addr on that the file has; returns their number. */
static size_t same_program_read_segment_bytes(const struct program *p, uint64_t addr, void *to,
                                              size_t n)
{
	for (size_t i = 0; i < p->segment_count; i++) {
		const struct segment *s = &p->segments[i];
		if (addr < s->vaddr || addr - s->vaddr >= s->filesz)
			continue;
		const uint64_t left = s->filesz - (addr - s->vaddr);
		n = left < n ? (size_t)left : n;
		memcpy(to, p->bytes + s->offset + (addr - s->vaddr), n);
		return n;
	}
	return 0;
}

static bool same_program_decode_inst(const struct program *p, uint64_t addr, struct inst *in)
{
	uint32_t word = 0;
	const size_t n = same_program_read_segment_bytes(p, addr, &word, sizeof word);
	if (n < 2)
		return false;
	inst_decode(word, in);
	return in->len <= n;
}

/* Whether an instruction refers to code, so that layout may change it: a far branch becomes another
 * branch around a jump, and an address pair gets other numbers. */
static bool names_code(const struct inst *in)
{
	return inst_is_control(in) || in->op == OP_AUIPC || in->op == OP_LUI || in->op == OP_ADDI;
}

static bool same_program_inst_is_same(const struct inst *a, const struct inst *b)
{
	if (names_code(a) || names_code(b))
		return names_code(a) && names_code(b);
	return a->op == b->op && a->rd == b->rd && a->rs1 == b->rs1 && a->rs2 == b->rs2 &&
	       (a->imm == b->imm || (inst_flags(a) & OPF_MEMORY));
}

bool program_laid_out_from(const struct program *now, const struct program *was, struct err *err)
{
	struct moved_code m;
	if (!program_moved_code(now, &m))
		return err_set(err,
		               "it has no map that leads back to %.200s; use what `cyclops "
		               "instrument --kind KIND -o OUT %.200s` makes of it",
		               program_path(was), program_path(was));
	for (uint64_t i = 0; i < m.count; i++) {
		const uint64_t at = m.text + m.pairs[2 * i], from = m.pairs[2 * i + 1];
		struct inst a, b;
		if (!same_program_decode_inst(was, from, &a) ||
		    !same_program_decode_inst(now, at, &b) || !same_program_inst_is_same(&a, &b))
			return err_set(err,
			               "it was not made from %.200s as that is now: at 0x%" PRIx64
			               " stands another instruction; instrument it again",
			               program_path(was), from);
	}
	return m.count ||
	       err_set(err, "its map is empty: it was not made from %.200s", program_path(was));
}
