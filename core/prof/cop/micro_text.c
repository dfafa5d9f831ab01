/* The disassembler. */
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_code.h"

struct writer {
	struct textbuf out;
	const struct micro_image *image; /* NULL: no names */
	unsigned at;
	const struct micro_inst *in;
};

/* A register, by the name that the program gives it. */
static void add_register(struct writer *w, char letter, unsigned number)
{
	char reg[8];
	snprintf(reg, sizeof reg, "%c%u", letter, number);
	for (unsigned i = 0; w->image && i < w->image->alias_count; i++) {
		if (!strcmp(w->image->aliases[i].reg, reg)) {
			textbuf_add(&w->out, "%s", w->image->aliases[i].name);
			return;
		}
	}
	textbuf_add(&w->out, "%s", reg);
}

/* A source by its row: registers of one letter, the literal as a number, everything else by name.
 */
static void micro_text_append_row(struct writer *w, const struct micro_source_info *row,
                                  unsigned number)
{
	if (row->count > 1)
		add_register(w, *row->name, number - row->number);
	else if (!strcmp(row->name, "literal"))
		textbuf_add(&w->out, "%u", w->in->literal);
	else
		textbuf_add(&w->out, "%s", row->name);
}

static void micro_text_append_source(struct writer *w, unsigned number)
{
	micro_text_append_row(w, micro_source_find(micro_sources, micro_source_count, number),
	                      number);
}

static void add_index_b(struct writer *w)
{
	if (w->in->index_b == MIS_A)
		micro_text_append_source(w, w->in->alu_a);
	else
		micro_text_append_row(w,
		                      micro_source_find(micro_index_sources,
		                                        micro_index_source_count, w->in->index_b),
		                      w->in->index_b);
}

static void micro_text_append_separator(struct writer *w)
{
	if (w->out.used)
		textbuf_add(&w->out, " | ");
}

static void add_cam(struct writer *w)
{
	const struct micro_inst *in = w->in;
	const unsigned uses = micro_cam_uses(in);
	if (!in->cam_op)
		return;
	micro_text_append_separator(w);
	textbuf_add(&w->out, "%s ", micro_cam_ops[in->cam_op].name);
	if (uses & U_D) {
		add_register(w, 'v', in->cam_dst);
		textbuf_add(&w->out, ", ");
	}
	if (uses & U_X) {
		add_register(w, 'x', in->cam_index);
	} else if (uses & U_I) {
		textbuf_add(&w->out, "cam[");
		add_register(w, 'x', in->cam_index);
		textbuf_add(&w->out, "]");
	} else {
		textbuf_add(&w->out, "cam");
	}
	if (uses & U_S) {
		textbuf_add(&w->out, ", ");
		micro_text_append_source(w, in->cam_source);
	}
}

static void add_data(struct writer *w)
{
	const struct micro_inst *in = w->in;
	if (!in->data_op)
		return;
	micro_text_append_separator(w);
	textbuf_add(&w->out, "%s", micro_data_ops[in->data_op].name);
	if (in->data_width != 2)
		textbuf_add(&w->out, ".%u", micro_width_bits(in->data_width));
	textbuf_add(&w->out, " ");
	if (in->data_has) {
		add_register(w, 'v', in->data_dst);
		textbuf_add(&w->out, ", ");
	}
	add_register(w, 'b', in->data_base);
	if (in->data_index != MDI_ZERO) {
		textbuf_add(&w->out, "[");
		micro_text_append_row(w,
		                      micro_source_find(micro_data_indexes, micro_data_index_count,
		                                        in->data_index),
		                      in->data_index);
		textbuf_add(&w->out, "]");
	}
	if (in->data_lane)
		textbuf_add(&w->out, ".%u", in->data_lane);
	if (micro_data_uses(in) & U_S) {
		textbuf_add(&w->out, ", ");
		micro_text_append_source(w, in->data_source);
	}
}

static void add_alu(struct writer *w)
{
	const struct micro_inst *in = w->in;
	const unsigned uses = micro_alu_uses(in);
	if (!in->alu_op)
		return;
	micro_text_append_separator(w);
	textbuf_add(&w->out, "%s", micro_alu_ops[in->alu_op].name);
	/* cmp of an index register is the index ALU's, unless it has a width. */
	const bool not_index =
		in->alu_op == MA_CMP && in->alu_a >= MS_X && in->alu_a < MS_X + MICRO_INDEXES;
	if (in->alu_size != 3 || not_index)
		textbuf_add(&w->out, ".%u", micro_width_bits(in->alu_size));
	textbuf_add(&w->out, " ");
	if (uses & U_D) {
		add_register(w, 'v', in->alu_dst);
		textbuf_add(&w->out, ", ");
	}
	micro_text_append_source(w, in->alu_a);
	if (uses & U_B) {
		textbuf_add(&w->out, ", ");
		micro_text_append_source(w, in->alu_b);
	}
}

static void add_index(struct writer *w)
{
	const struct micro_inst *in = w->in;
	const unsigned uses = micro_index_uses(in);
	if (!in->index_op)
		return;
	micro_text_append_separator(w);
	textbuf_add(&w->out, "%s ", micro_index_ops[in->index_op].name);
	if (uses & U_D)
		add_register(w, 'x', in->index_dst);
	if (uses & U_A) {
		textbuf_add(&w->out, "%s", uses & U_D ? ", " : "");
		add_register(w, 'x', in->index_a);
	}
	if ((in->index_op == MX_INC || in->index_op == MX_DEC) && in->index_b == MIS_ZERO)
		return;
	textbuf_add(&w->out, ", ");
	add_index_b(w);
}

static void add_goal(struct writer *w)
{
	const struct micro_inst *in = w->in;
	const int offset = micro_offset(in);
	const char *label =
		w->image ? micro_label_at(w->image, (unsigned)((int)w->at + offset)) : NULL;
	switch ((enum micro_to)in->branch_to) {
	case MTO_RELATIVE:
		if (label)
			textbuf_add(&w->out, "goto %s", label);
		else
			textbuf_add(&w->out, "goto %+d", offset);
		break;
	case MTO_TARGET:
		textbuf_add(&w->out, "goto ");
		add_register(w, 't', in->branch_offset);
		break;
	case MTO_DONE: textbuf_add(&w->out, "done"); break;
	case MTO_INTERRUPT: textbuf_add(&w->out, "interrupt"); break;
	}
}

static void add_branch(struct writer *w)
{
	const struct micro_inst *in = w->in;
	const bool always = in->branch_if == MB_ALWAYS;
	if (in->branch_if == MB_NEVER && !in->branch_p)
		return;
	micro_text_append_separator(w);
	if (!always)
		textbuf_add(&w->out, "if %s ", micro_conditions[in->branch_if].name);
	add_goal(w);
	if (in->branch_p != always)
		textbuf_add(&w->out, in->branch_p ? " likely" : " unlikely");
}

char *micro_text_of(const struct micro_image *image, struct micro_word word, unsigned at, char *buf,
                    size_t n)
{
	const struct micro_inst raw = micro_unpack(word), in = micro_canonical(&raw);
	struct writer w = {.out = {buf, n, 0}, .image = image, .at = at, .in = &in};
	const char *invalid = micro_invalid(&raw);
	*buf = '\0';
	if (invalid) {
		textbuf_add(&w.out, "<no microinstruction: %s>", invalid);
		return buf;
	}
	add_cam(&w);
	add_data(&w);
	add_alu(&w);
	add_index(&w);
	add_branch(&w);
	if (!w.out.used)
		textbuf_add(&w.out, "nop");
	return buf;
}

char *micro_disassemble(struct micro_word w, char *buf, size_t n)
{
	return micro_text_of(NULL, w, 0, buf, n);
}

char *micro_text(const struct micro_image *image, unsigned at, char *buf, size_t n)
{
	return micro_text_of(image, image->words[at], at, buf, n);
}

const char *micro_label_at(const struct micro_image *image, unsigned at)
{
	for (unsigned i = 0; i < image->label_count; i++)
		if (image->labels[i].at == at)
			return image->labels[i].name;
	return NULL;
}
