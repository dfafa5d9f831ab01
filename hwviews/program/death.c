#include "hwviews/program/death.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/isa/exec.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"
#include "hwviews/program/frames.h"
#include "hwviews/session/place_text.h"
#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"

/* ---- how and where ---- */
/* Writes "sum, crash.c:7" for a line; without one "strlen", or "libc.so.6+0x6bbf8". */
static void death_put_place(const struct session *s, uint64_t pc, const struct source_line *line,
                            char *buf, size_t n)
{
	const struct symbol *sym = program_symbol_at(s->program, pc);
	char name[DEMANGLED_MAX], brief[DEMANGLED_MAX];
	const char *inner = line->line ? inlined_name_of_line(s->program, pc, line->file,
	                                                      line->line, name, sizeof name)
	                               : NULL;
	const char *function = name_short(inner ? inner : sym ? sym->name : "", brief);
	if (line->line)
		snprintf(buf, n, "%s%s%s:%u", function, *function ? ", " : "",
		         file_base_name(line->file), line->line);
	else if (*function)
		snprintf(buf, n, "%s", function);
	else
		format_addr(s, pc, buf, n);
}

/* Writes the place of a death at pc. In code without lines it has the nearest caller's line, which
 * alone is the place if the program ended itself. */
static void death_put_where(const struct session *s, uint64_t pc, bool itself, char *buf, size_t n)
{
	struct source_line line = {0};
	struct frame caller;
	const bool known = program_stop_line_at(s->program, pc, &line) && line.line;
	if (!known)
		line = (struct source_line){0};
	death_put_place(s, pc, &line, buf, n);
	if (known || !frames_nearest_line(s, &caller, &line))
		return;
	const size_t used = strlen(buf);
	if (itself)
		death_put_place(s, frame_look(&caller), &line, buf, n);
	else
		snprintf(buf + used, n - used, " from %s:%u", file_base_name(line.file), line.line);
}

bool death_text(const struct session *s, char *buf, size_t n)
{
	const struct machine *m = s->machine;
	const struct fault *f = machine_fault(m);
	const enum machine_status status = machine_status(m);
	char where[600], addr[32] = "";
	if (status != MACHINE_FAULTED && status != MACHINE_KILLED)
		return false;
	const bool killed = status == MACHINE_KILLED;
	death_put_where(s, killed ? machine_pc(m) : f->pc, killed, where, sizeof where);
	const int signal = killed ? machine_exit_status(m) - 128 : trap_signal(f->trap);
	const char *name = os_signal_name((unsigned)signal);
	if (killed) {
		snprintf(buf, n, "ended itself by %s in %s", name ? name : "a signal", where);
		return true;
	}
	if (trap_of_data(f->trap))
		snprintf(addr, sizeof addr, ", 0x%" PRIx64, f->addr);
	snprintf(buf, n, "faulted in %s: %s%s (%s)", where, trap_name(f->trap), addr,
	         name ? name : "a signal");
	return true;
}

/* ---- lost output ---- */
bool death_has_lost(const struct machine *m)
{
	const enum machine_status status = machine_status(m);
	return status == MACHINE_FAULTED || status == MACHINE_KILLED;
}

/* A pointer of the guest's; 0 if it is not mapped. */
static uint64_t death_pointer(const struct mem *mem, uint64_t addr, unsigned bytes)
{
	uint64_t value = 0;
	return mem_peek(mem, addr, &value, bytes) ? value : 0;
}

size_t death_unwritten(const struct program *program, const struct machine *m, char *buf, size_t n)
{
	/* glibc's struct _IO_FILE, whose layout is part of its ABI: flags with a magic number, then
	 * pointers, of which these bound the bytes to write. */
	enum { WRITE_BASE = 4, WRITE_PTR = 5 };
	static const uint32_t magic = 0xfbad0000, mask = 0xffff0000;
	static const uint64_t most = 1 << 24;
	const struct symbol *sym = program_symbol_by_name(program, "stdout");
	const struct mem *mem = machine_mem_const(m);
	const unsigned bytes = machine_isa(m) == ISA_RV32GC ? 4 : 8;
	uint32_t flags;
	*buf = '\0';
	const uint64_t file = sym && !sym->code ? death_pointer(mem, sym->addr, bytes) : 0;
	if (!file || !mem_peek(mem, file, &flags, 4) || (flags & mask) != magic)
		return 0;
	const uint64_t from = death_pointer(mem, file + WRITE_BASE * bytes, bytes),
		       to = death_pointer(mem, file + WRITE_PTR * bytes, bytes);
	if (!from || from >= to || to - from > most)
		return 0;
	size_t copied = to - from < n - 1 ? to - from : n - 1;
	if (!mem_peek(mem, from, buf, (uint32_t)copied))
		copied = 0;
	buf[copied] = '\0';
	return copied ? to - from : 0;
}

bool death_unwritten_text(const struct program *program, const struct machine *m, char *buf,
                          size_t n)
{
	enum { SHOWN = 160 };
	char text[SHOWN + 1];
	if (!death_has_lost(m))
		return false;
	const size_t all = death_unwritten(program, m, text, sizeof text);
	if (!all)
		return false;
	size_t used =
		(size_t)snprintf(buf, n, "never written, in stdout's buffer (%zu byte%s): ", all,
	                         all == 1 ? "" : "s");
	for (const char *c = text; *c && used + 5 < n; c++) {
		if (*c == '\n')
			used += (size_t)snprintf(buf + used, n - used, "\\n");
		else if (*c == '\t')
			used += (size_t)snprintf(buf + used, n - used, "\\t");
		else if ((unsigned char)*c < ' ' || *c == 127)
			used += (size_t)snprintf(buf + used, n - used, "\\%03o", (unsigned char)*c);
		else
			buf[used++] = *c;
	}
	buf[used] = '\0';
	if (all > strlen(text) && used + 4 < n)
		snprintf(buf + used, n - used, "...");
	return true;
}
