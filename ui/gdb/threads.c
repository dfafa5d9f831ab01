/* The threads of the program for gdb. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "loader/program.h"
#include "ui/console/threads.h"
#include "ui/gdb/server.h"

unsigned threads_list(const struct server *v, uint64_t *ids, unsigned max)
{
	const struct os_thread *t = os_threads(machine_os_const(v->m.s->machine));
	unsigned n = 0;
	for (unsigned i = 0; i < OS_THREADS && n < max; i++)
		if (t[i].state == THREAD_READY || t[i].state == THREAD_WAITS)
			ids[n++] = t[i].tid;
	return n;
}

uint64_t threads_current(const struct server *v)
{
	return spot_tid(v->m.at);
}

void threads_name(const struct server *v, uint64_t id, struct answer *a)
{
	if (v->multiprocess)
		answer_text(a, "p%x.", (unsigned)GUEST_PID);
	answer_text(a, "%" PRIx64, id);
}

/* Parses "p3e8.-1", "3e8", "0", "-1": a thread, or any. False: invalid. */
static bool gdb_threads_parse_id(const char *text, uint64_t *id, bool *any)
{
	uint64_t process;
	*id = 0;
	*any = false;
	if (take_text(&text, "p")) {
		if (!take_text(&text, "-1") &&
		    (!take_number(&text, &process) || (process && process != GUEST_PID)))
			return false;
		if (!*text)
			return *any = true;
		if (!take_text(&text, "."))
			return false;
	}
	if (!strcmp(text, "-1") || !strcmp(text, "0"))
		return *any = true;
	return take_number(&text, id) && !*text;
}

static bool gdb_threads_id_exists(const struct server *v, const char *text)
{
	uint64_t ids[THREADS_MAX], id;
	bool any;
	const unsigned n = threads_list(v, ids, THREADS_MAX);
	if (v->m.gone || !gdb_threads_parse_id(text, &id, &any))
		return false;
	for (unsigned i = 0; !any && i < n; i++)
		any = ids[i] == id;
	return any;
}

bool threads_of_action(const struct server *v, const char *text, uint64_t *id)
{
	char word[64];
	bool any;
	const size_t n = strcspn(text, ";");
	*id = 0;
	if (*text != ':')
		return true;
	if (n > sizeof word)
		return false;
	memcpy(word, text + 1, n - 1);
	word[n - 1] = '\0';
	return gdb_threads_id_exists(v, word) && gdb_threads_parse_id(word, id, &any);
}

static const struct os_thread *gdb_threads_entry(const struct server *v, uint64_t id)
{
	const struct os *os = machine_os_const(v->m.s->machine);
	const int i = os_thread_find(os, (uint32_t)id);
	return &os_threads(os)[i < 0 ? os_running(os) : (unsigned)i];
}

const char *threads_title(const struct server *v, uint64_t id)
{
	return gdb_threads_entry(v, id)->name;
}

char *threads_what(const struct server *v, uint64_t id, char *buf, size_t n)
{
	return threads_state(v->m.c, gdb_threads_entry(v, id), buf, n);
}

static void gdb_threads_answer_extra_info(const struct server *v, const char *text,
                                          struct answer *a)
{
	char what[200];
	uint64_t id;
	bool any;
	if (!gdb_threads_id_exists(v, text) || !gdb_threads_parse_id(text, &id, &any))
		answer_text(a, "E01");
	else
		answer_hex(a, what, strlen(threads_what(v, id, what, sizeof what)));
}

/* The thread's pointer to its own variables. */
static uint64_t gdb_threads_pointer(const struct server *v, uint64_t id)
{
	const struct os *os = machine_os_const(v->m.s->machine);
	const int i = id != spot_tid(v->m.at) ? os_thread_find(os, (uint32_t)id) : -1;
	return i < 0 ? spot_reg(v->m.at, REG_TP) : os_threads(os)[i].r[REG_TP];
}

bool threads_handle(const struct server *v, uint64_t id, uint64_t *handle)
{
	const bool narrow = machine_isa(v->m.s->machine) == ISA_RV32GC;
	const struct symbol *how = program_symbol_by_name(
		v->m.s->program, narrow ? "_thread_db_register32" : "_thread_db_register64");
	struct {
		uint32_t bits;
		int32_t bias; /* from the register's value to the handle */
		uint32_t at;  /* of the register in ptrace's structure */
	} reg;
	if (!how || spot_read(v->m.at, how->addr, &reg, sizeof reg) != sizeof reg)
		return false;
	*handle = gdb_threads_pointer(v, id) + (uint64_t)(int64_t)reg.bias;
	return true;
}

/* True if an object of this link map is the program itself: its name there is empty. Programs
 * without libraries have none (0). */
static bool gdb_threads_is_program(const struct server *v, uint64_t link_map)
{
	enum { L_NAME = 8 };
	uint64_t name = 0;
	char first = 0;
	return !link_map || (spot_read(v->m.at, link_map + L_NAME, &name, sizeof name) ==
	                             sizeof name &&
	                     spot_read(v->m.at, name, &first, 1) == 1 && !first);
}

/* Handles qGetTLSAddr:THREAD,OFFSET,LINK-MAP: the thread pointer points to the program's own
 * variables. */
static void gdb_threads_answer_tls(const struct server *v, const char *args, struct answer *a)
{
	char thread[64];
	uint64_t offset, link_map, id;
	bool any;
	const size_t n = strcspn(args, ",");
	snprintf(thread, sizeof thread, "%.*s", (int)n, args);
	args += n;
	if (!gdb_threads_id_exists(v, thread) || !gdb_threads_parse_id(thread, &id, &any) ||
	    !take_text(&args, ",") || !take_range(&args, &offset, &link_map)) {
		answer_text(a, "E01");
		return;
	}
	if (!gdb_threads_is_program(v, link_map)) {
		answer_text(a, "E.thread-local variables of libraries are not known here");
		return;
	}
	answer_text(a, "%" PRIx64, gdb_threads_pointer(v, id) + offset);
}

/* Selects the thread for registers (Hg) or steps (Hc). */
static void gdb_threads_select_thread(struct server *v, const char *packet, struct answer *a)
{
	uint64_t id;
	bool any;
	if (!gdb_threads_id_exists(v, packet + 1) || !gdb_threads_parse_id(packet + 1, &id, &any)) {
		answer_text(a, v->m.gone ? "OK" : "E01");
		return;
	}
	if (*packet == 'g')
		v->general = id;
	else if (*packet == 'c')
		v->m.stepped = id;
	answer_text(a, "OK");
}

bool threads_packet(struct server *v, const char *packet, struct answer *a)
{
	if (take_text(&packet, "qfThreadInfo")) {
		uint64_t ids[THREADS_MAX];
		const unsigned n = v->m.gone ? 0 : threads_list(v, ids, THREADS_MAX);
		answer_text(a, n ? "m" : "l");
		for (unsigned i = 0; i < n; i++) {
			answer_text(a, i ? "," : "");
			threads_name(v, ids[i], a);
		}
	} else if (take_text(&packet, "qsThreadInfo")) {
		answer_text(a, "l");
	} else if (!strcmp(packet, "qC")) {
		answer_text(a, "QC");
		threads_name(v, threads_current(v), a);
	} else if (take_text(&packet, "qGetTLSAddr:")) {
		gdb_threads_answer_tls(v, packet, a);
	} else if (take_text(&packet, "qThreadExtraInfo,")) {
		gdb_threads_answer_extra_info(v, packet, a);
	} else if (*packet == 'H' && packet[1]) {
		gdb_threads_select_thread(v, packet + 1, a);
	} else if (*packet == 'T') {
		answer_text(a, gdb_threads_id_exists(v, packet + 1) ? "OK" : "E01");
	} else {
		return false;
	}
	return true;
}
