/* Faults in the text: where they are, and their messages. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "loader/asm/asm_priv.h"

const char *asm_source_name(const struct assembler *a, unsigned source)
{
	return source < a->source_count ? a->sources[source].name
	                                : a->included[source - a->source_count].name;
}

bool asm_fault(struct assembler *a, const char *at, const char *fmt, ...)
{
	if (a->fault_at && at <= a->fault_at)
		return false;
	va_list args;
	va_start(args, fmt);
	vsnprintf(a->fault, sizeof a->fault, fmt, args);
	va_end(args);
	a->fault_at = at;
	return false;
}

static void asm_sanitize_message(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = '?';
}

bool asm_error(struct assembler *a, unsigned line, unsigned column, const char *fmt, ...)
{
	struct asm_result *r = a->result;
	if (r->message_count == ASM_MESSAGES_MAX) {
		r->more = a->stop = true;
		return false;
	}
	struct asm_message *m = &r->message[r->message_count++];
	m->source = a->source;
	if (a->source >= a->source_count) {
		const struct included *from = &a->included[a->source - a->source_count];
		m->source = from->by;
		snprintf(m->file, sizeof m->file, "%s", from->name);
	}
	m->line = line;
	m->column = column;
	va_list args;
	va_start(args, fmt);
	vsnprintf(m->text, sizeof m->text, fmt, args);
	va_end(args);
	asm_sanitize_message(m->text);
	return false;
}

void asm_note_offset(struct assembler *a, const struct value *offset)
{
	if (value_is_constant(offset) && offset->add && a->rvc && !*a->result->note)
		snprintf(a->result->note, sizeof a->result->note,
		         "%.80s:%u: %" PRId64 " counts bytes, and instructions have 2 or 4 here; "
		         "with .option norvc all have 4",
		         asm_source_name(a, a->source), a->line, offset->add);
}

bool asm_out_of_memory(struct assembler *a)
{
	if (!a->stop)
		asm_error(a, a->line, 1, "out of memory here");
	a->stop = true;
	return false;
}

unsigned asm_column(const struct assembler *a, const char *at)
{
	const bool here = a->line_start && at >= a->line_start && at <= a->text + a->n;
	return here ? (unsigned)(at - a->line_start) + 1 : 1;
}

char *asm_message_text(const struct asm_message *m, const char *name, char *buf, size_t n)
{
	if (*m->file)
		name = m->file;
	if (m->line)
		snprintf(buf, n, "%s:%u:%u: %s", name, m->line, m->column, m->text);
	else
		snprintf(buf, n, "%s: %s", name, m->text);
	return buf;
}
