/* qXfer: objects that gdb reads as a whole: target description, memory map, auxiliary vector, the
 * program's name, threads. */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/mem/mem.h"
#include "core/os/linux.h"
#include "loader/program.h"
#include "ui/gdb/files.h"
#include "ui/gdb/server.h"

enum { AUXV_PAIRS_MAX = 64, STACK_LOOK = 4 << 20 };

/* Contents of an object; bytes owned. */
struct object {
	char *bytes;
	size_t n;
};

static struct object text_object(char *text)
{
	return (struct object){text, text ? strlen(text) : 0};
}

/* ---- the auxiliary vector ---- */
static bool transfer_is_narrow(const struct machine *m)
{
	return machine_isa(m) == ISA_RV32GC;
}

static uint64_t transfer_stack_top(const struct machine *m)
{
	return transfer_is_narrow(m) ? MEM_TOP_32 : MEM_TOP;
}

/* Reads a pair of words, of the program's size. */
static bool transfer_read_pair(const struct machine *m, uint64_t at, uint64_t *pair)
{
	uint32_t words[2];
	if (!transfer_is_narrow(m))
		return machine_peek(m, at, pair, 2 * sizeof *pair);
	if (!machine_peek(m, at, words, sizeof words))
		return false;
	pair[0] = words[0];
	pair[1] = words[1];
	return true;
}

/* Guest address of the program's path, the last string on its stack; 0: there is none. */
static uint64_t execfn_of(const struct machine *m)
{
	uint64_t at = transfer_stack_top(m) - 8;
	char c;
	for (unsigned n = 0; n < PATH_MAX; n++, at--)
		if (!machine_peek(m, at - 2, &c, 1))
			return 0;
		else if (!c)
			return at - 1;
	return 0;
}

/* Finds the vector as loader/stack.c lays it out: from AT_HWCAP to AT_NULL, with AT_EXECFN in it.
 */
static struct object auxiliary_vector(const struct machine *m)
{
	struct object o = {alloc_zeroed(AUXV_PAIRS_MAX, 16), 0};
	uint64_t pair[2] = {0}, at = (transfer_stack_top(m) - 8) & ~UINT64_C(15);
	const unsigned word = transfer_is_narrow(m) ? 4 : 8;
	const uint64_t execfn = execfn_of(m), end = at - STACK_LOOK;
	if (!o.bytes || !execfn)
		return o;
	do
		at -= word;
	while (at > end && transfer_read_pair(m, at, pair) &&
	       (pair[0] != AT_EXECFN || pair[1] != execfn));
	unsigned back = 0;
	if (pair[0] != AT_EXECFN)
		return o;
	while (back++ < AUXV_PAIRS_MAX && transfer_read_pair(m, at, pair) &&
	       pair[0] != AT_HWCAP)
		at -= 2 * word;
	do {
		if (!transfer_read_pair(m, at, pair))
			break;
		machine_peek(m, at, o.bytes + o.n, 2 * word);
		o.n += 2 * word;
		at += 2 * word;
	} while (pair[0] != AT_NULL && o.n < (size_t)AUXV_PAIRS_MAX * 16);
	return o;
}

/* Escapes text for XML: a thread's name may have any bytes. */
static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~' || strchr("<>&\"'", *text))
			fputc('?', f);
		else
			fputc(*text, f);
}

static struct object transfer_build_threads_xml(const struct server *v)
{
	char what[200];
	struct object o = {0};
	uint64_t ids[THREADS_MAX];
	const unsigned count = v->m.gone ? 0 : threads_list(v, ids, THREADS_MAX);
	FILE *f = alloc_stream(&o.bytes, &o.n);
	if (!f)
		return o;
	fputs("<?xml version=\"1.0\"?>\n<threads>\n", f);
	for (unsigned i = 0; i < count; i++) {
		struct answer start = {.n = 0};
		uint64_t handle;
		answer_text(&start, "<thread id=\"");
		threads_name(v, ids[i], &start);
		if (threads_handle(v, ids[i], &handle)) {
			answer_text(&start, "\" handle=\"");
			answer_hex(&start, &handle, transfer_is_narrow(v->m.s->machine) ? 4 : 8);
		}
		fprintf(f, "%.*s\"", (int)start.n, start.bytes);
		if (*threads_title(v, ids[i])) {
			fputs(" name=\"", f);
			put_escaped(f, threads_title(v, ids[i]));
			fputc('"', f);
		}
		fputc('>', f);
		put_escaped(f, threads_what(v, ids[i], what, sizeof what));
		fputs("</thread>\n", f);
	}
	fputs("</threads>\n", f);
	fclose(f);
	return o;
}

/* ---- signals that stopped threads ---- */
/* The selected thread's entry of the table if it does not execute next, else -1. */
static int transfer_other_thread(const struct server *v)
{
	return v->general && v->general != spot_tid(v->m.at)
	               ? os_thread_find(machine_os_const(v->m.s->machine), (uint32_t)v->general)
	               : -1;
}

/* The signal by which debuggers on Linux stop a thread: for one that no signal stopped. */
static struct lx_siginfo transfer_siginfo(const struct server *v)
{
	const int other = transfer_other_thread(v);
	const struct signal_info stop = {
		.signo = LX_SIGSTOP, .code = LX_SI_TKILL, .word = {GUEST_PID}};
	const struct signal_info *info = other < 0                         ? &v->m.before.info
	                                 : v->m.stopped[other].signo ? &v->m.stopped[other]
	                                                                   : &stop;
	return (struct lx_siginfo){.signo = info->signo,
	                           .err = info->err,
	                           .code = info->code,
	                           .word = {info->word[0], info->word[1]}};
}

static struct object transfer_build_siginfo(const struct server *v)
{
	const struct lx_siginfo out = transfer_siginfo(v);
	struct object o = {NULL, sizeof out};
	if ((v->m.before.number || transfer_other_thread(v) >= 0) &&
	    (o.bytes = alloc_bytes(sizeof out)))
		memcpy(o.bytes, &out, sizeof out);
	return o;
}

/* Handles qXfer:siginfo:write::OFFSET:BYTES; end: after the last byte. If no signal is here, the
 * information is kept for the next signal that gdb delivers: gdb writes it back after a call of a
 * function. */
static void transfer_write_siginfo(struct server *v, const char *args, const char *end,
                                   struct answer *a)
{
	struct lx_siginfo in = transfer_siginfo(v);
	uint64_t offset;
	if (!take_text(&args, ":") || !take_number(&args, &offset) || !take_text(&args, ":") ||
	    offset > sizeof in || (size_t)(end - args) > sizeof in - offset) {
		answer_text(a, "E01");
		return;
	}
	memcpy((uint8_t *)&in + offset, args, (size_t)(end - args));
	const int other = transfer_other_thread(v);
	const int32_t number =
		other < 0 ? (int32_t)v->m.before.number : v->m.stopped[other].signo;
	const struct signal_info info = {.signo = number ? number : in.signo,
	                                 .code = in.code,
	                                 .err = in.err,
	                                 .word = {in.word[0], in.word[1]}};
	if (other < 0) {
		v->m.before.info = info;
		v->m.before.edited = true;
	} else if (number) {
		v->m.stopped[other] = info;
	}
	answer_text(a, "%x", (unsigned)(end - args));
}

/* The memory map: all addresses. gdb reads it once, while the program maps and unmaps memory as it
 * runs. */
static struct object transfer_build_memory_map(const struct machine *m)
{
	return text_object(alloc_format(
		"<?xml version=\"1.0\"?>\n"
		"<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
		"\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n"
		"<memory-map><memory type=\"ram\" start=\"0x0\" length=\"0x%llx\"/>"
		"</memory-map>\n",
		transfer_is_narrow(m) ? UINT32_MAX + 1ULL : ~0ULL));
}

/* Builds the object of this name. False: there is no such object. */
static bool transfer_build_object(struct server *v, const char *name, const char *annex,
                                  struct object *o)
{
	if (!strcmp(name, "features"))
		*o = strcmp(annex, "target.xml") ? (struct object){0}
		                                 : text_object(registers_description(v));
	else if (!strcmp(name, "auxv"))
		*o = auxiliary_vector(v->m.s->machine);
	else if (!strcmp(name, "exec-file"))
		*o = text_object(files_program(v));
	else if (!strcmp(name, "threads"))
		*o = transfer_build_threads_xml(v);
	else if (!strcmp(name, "memory-map"))
		*o = transfer_build_memory_map(v->m.s->machine);
	else if (!strcmp(name, "siginfo"))
		*o = transfer_build_siginfo(v);
	else
		return false;
	return true;
}

void transfer_packet(struct server *v, const char *args, const char *end, struct answer *a)
{
	char name[16], annex[32];
	int used = 0;
	uint64_t offset, length;
	struct object o = {0};
	if (take_text(&args, "siginfo:write:")) {
		transfer_write_siginfo(v, args, end, a);
		return;
	}
	if (sscanf(args, "%15[a-z0-9-]:read:%n", name, &used) != 1 || !used)
		return;
	args += used;
	const size_t n = strcspn(args, ":");
	if (n >= sizeof annex || args[n] != ':') {
		answer_text(a, "E00");
		return;
	}
	memcpy(annex, args, n);
	annex[n] = '\0';
	args += n + 1;
	if (!take_range(&args, &offset, &length)) {
		answer_text(a, "E00");
		return;
	}
	if (!transfer_build_object(v, name, annex, &o))
		return;
	if (o.bytes)
		answer_piece(a, o.bytes, o.n, offset, length);
	else
		answer_text(a, "E00");
	free(o.bytes);
}
