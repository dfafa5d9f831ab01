/* Instructions as text, with the aliases that GNU as prints. */
#include <inttypes.h>

#include "core/base/textbuf.h"
#include "core/isa/csr.h"
#include "core/isa/op.h"

enum {
#define FORMAT(id, ...) FORMAT_##id,
#include "core/isa/rv64.def"
	FORMAT_COUNT
};

static const char *const format_syntax[FORMAT_COUNT] = {
#define FORMAT(id, mask, d, s1, s2, s3, immediate, mode, syntax) [FORMAT_##id] = syntax,
#include "core/isa/rv64.def"
};

static const uint8_t op_format[OP_COUNT] = {
#define OP(id, mnemonic, match, format, ...) [OP_##id] = FORMAT_##format,
#include "core/isa/rv64.def"
};

static const char *disasm_reg_name(unsigned number)
{
	return reg_name(number == REG_SINK ? (unsigned)REG_ZERO : number);
}

static void disasm_append_csr(struct textbuf *o, unsigned csr)
{
	char buf[16];
	const char *name = csr_name(csr, buf, sizeof buf);
	if (name)
		textbuf_add(o, "%s", name);
	else
		textbuf_add(o, "0x%x", csr);
}

static void put_fence_set(struct textbuf *o, unsigned set)
{
	if (set == 0)
		textbuf_add(o, "unknown");
	for (unsigned i = 0; i < 4; i++)
		if (set & 8u >> i)
			textbuf_add(o, "%c", "iorw"[i]);
}

static void put_rounding(struct textbuf *o, unsigned rm)
{
	static const char *const names[8] = {"rne", "rtz",     "rdn",     "rup",
	                                     "rmm", "unknown", "unknown", "dyn"};
	if (rm != FRM_DYN)
		textbuf_add(o, ",%s", names[rm & 7]);
}

static void put_operands(struct textbuf *o, const struct inst *in, uint64_t pc, const char *syntax)
{
	for (const char *s = syntax; *s; s++) {
		switch (*s) {
		case 'd':
			textbuf_add(o, "%s", disasm_reg_name(in->rd));
			break;
		case 's':
			textbuf_add(o, "%s", disasm_reg_name(in->rs1));
			break;
		case 't':
			textbuf_add(o, "%s", disasm_reg_name(in->rs2));
			break;
		case 'r':
			textbuf_add(o, "%s", disasm_reg_name(in->rs3));
			break;
		case 'i':
			textbuf_add(o, "%" PRId32, in->imm);
			break;
		case 'h':
			textbuf_add(o, "0x%" PRIx32, (uint32_t)in->imm);
			break;
		case 'u':
			textbuf_add(o, "0x%" PRIx32, (uint32_t)in->imm >> 12);
			break;
		case 'p':
			textbuf_add(o, "0x%" PRIx64, pc + (uint64_t)(int64_t)in->imm);
			break;
		case 'c':
			disasm_append_csr(o, (unsigned)in->imm);
			break;
		case 'z':
			textbuf_add(o, "%u", in->rm);
			break;
		case 'f':
			put_fence_set(o, (unsigned)in->imm >> 4 & 15);
			textbuf_add(o, ",");
			put_fence_set(o, (unsigned)in->imm & 15);
			break;
		case 'm':
			put_rounding(o, in->rm);
			break;
		default:
			textbuf_add(o, "%c", *s);
			break;
		}
	}
}

/* Appends a hint. A prefix gets its type after a dot ("pi.3"), because an instruction follows. */
static void disasm_append_hint(struct textbuf *o, const struct inst *in)
{
	bool alone = in->op == OP_PUSHPF_ALL || in->op == OP_POPPF_ALL || in->op == OP_MARK;
	textbuf_add(o, "%s", op_info[in->op].mnemonic);
	if (!alone)
		textbuf_add(o, in->op == OP_PI ? ".%" PRId32 : " %" PRId32, in->imm);
}

static void disasm_append_inst(struct textbuf *o, const struct inst *in, uint64_t pc,
                               const char *mnemonic, const char *syntax)
{
	static const char *const order[4] = { "", ".rl", ".aq", ".aqrl" };
	textbuf_add(o, "%s%s%s", mnemonic, in->klass == CLASS_AMO ? order[in->rm & 3] : "",
	            *syntax ? " " : "");
	put_operands(o, in, pc, syntax);
}

char *inst_disasm(const struct inst *in, uint64_t pc, char *buf, unsigned n)
{
	struct textbuf o = { .buf = buf, .n = n };
	unsigned rd = in->rd, rs1 = in->rs1, rs2 = in->rs2;
	int32_t imm = in->imm;
	const unsigned op = inst_rv64_op(in->op);
	const char *mnemonic = NULL;
	const char *syntax = NULL;
	if (n > 0)
		buf[0] = '\0';
#define ALIAS(id, name, operands, when) \
	if (!mnemonic && op == OP_##id && (when)) { \
		mnemonic = name; \
		syntax = operands; \
	}
#include "core/isa/rv64.def"
	if (mnemonic)
		disasm_append_inst(&o, in, pc, mnemonic, syntax);
	else if (inst_flags(in) & OPF_HINT)
		disasm_append_hint(&o, in);
	else if (in->op != OP_ILLEGAL)
		disasm_append_inst(&o, in, pc, op_info[in->op].mnemonic,
		                   format_syntax[op_format[op]]);
	else if (in->raw == 0)
		textbuf_add(&o, "unimp");
	else
		textbuf_add(&o, in->len == 2 ? ".2byte 0x%" PRIx32 : ".4byte 0x%" PRIx32, in->raw);
	return buf;
}
