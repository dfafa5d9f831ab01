/* libdw's handle on a program's debug information, and how much of that was left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/program_priv.h"

/* Ends the process, because libdw can't continue without memory. */
__attribute__((noreturn)) static void end_without_memory(void)
{
	fflush(stdout);
	fputs("cyclops: out of memory for debug information\n", stderr);
	exit(125);
}

Dwarf *program_dwarf(const struct program *p)
{
	struct program_debug *d = p->debug;
	if (!d->dwarf_tried) {
		d->dwarf_tried = true;
		if (debug_limit_open(&d->limit, program_debug_elf(p)))
			d->dwarf = dwarf_begin_elf(program_debug_elf(p), DWARF_C_READ, NULL);
		if (d->dwarf)
			dwarf_new_oom_handler(d->dwarf, end_without_memory);
		else if (strcmp(dwarf_errmsg(-1), "out of memory") == 0)
			alloc_note_failure();
		if (d->dwarf && !debug_limit_units(&d->limit, program_debug_elf(p))) {
			dwarf_end(d->dwarf);
			d->dwarf = NULL;
		}
	}
	return d->dwarf;
}

void program_limit_debug(const struct program *p, uint64_t bytes)
{
	p->debug->limit.most = bytes;
	if (p->firmware)
		p->firmware->debug->limit.most = bytes;
	if (p->loader)
		p->loader->debug->limit.most = bytes;
}

const char *program_left_out(const struct program *p)
{
	const struct program *f = p->firmware;
	if (p->debug->limit.damaged || (f && f->debug->limit.damaged))
		return "its debug information is damaged: an entry has hundreds of attributes";
	if (p->debug->limit.reached || (f && f->debug->limit.reached))
		return "its debug information would take more memory than sim.debug_memory allows";
	if (p->debug->walk.ended || (f && f->debug->walk.ended))
		return "its debug information is damaged, or takes too long to look through";
	return NULL;
}
