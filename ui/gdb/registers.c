/* Registers as gdb numbers them, and the target description that defines these numbers.
 *
 * 0 to 31 are x0 to x31, 32 is pc, 33 to 64 are f0 to f31; then follow fflags, frm and fcsr, and
 * the machine's other control and status registers in the order of csrs.def. A `g` packet has those
 * up to fcsr; gdb requests the others one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/csr.h"
#include "core/machine/change.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "hwviews/program/csrs.h"
#include "ui/gdb/server.h"

enum {
	NUMBER_PC = 32,
	NUMBER_F0 = 33,
	NUMBER_FFLAGS = 65,
	NUMBER_FRM,
	NUMBER_FCSR,
	NUMBER_CSRS
};

/* Fields of fcsr: fflags in the low bits, frm above. */
enum { FFLAGS_MASK = 0x1f, FRM_SHIFT = 5, FRM_MASK = 7, FCSR_MASK = 0xff };

static bool is_float_csr(unsigned csr)
{
	return csr >= CSR_FFLAGS && csr <= CSR_FCSR;
}

/* CSR of a gdb register number, -1: none. */
static int csr_of(const struct server *v, unsigned number)
{
	if (number >= NUMBER_FFLAGS && number < NUMBER_CSRS)
		return CSR_FFLAGS + (int)number - NUMBER_FFLAGS;
	unsigned at = NUMBER_CSRS;
	for (unsigned i = 0; i < csr_info_count; i++)
		for (unsigned k = 0; k < csr_info[i].count; k++) {
			const unsigned csr = csr_info[i].first + k;
			if (!is_float_csr(csr) && !csrs_lack(v->m.s, csr) && at++ == number)
				return (int)csr;
		}
	return -1;
}

static bool registers_are_narrow(const struct server *v)
{
	return machine_isa(v->m.s->machine) == ISA_RV32GC;
}

static unsigned registers_byte_size(const struct server *v, unsigned number)
{
	const bool wide = !registers_are_narrow(v) ||
	                  (number >= NUMBER_F0 && number < NUMBER_FFLAGS);
	return !wide || (number >= NUMBER_FFLAGS && number < NUMBER_CSRS) ? 4 : 8;
}

/* The selected thread, if it does not execute next: its registers are saved. NULL otherwise. */
static const struct os_thread *registers_parked_thread(const struct server *v)
{
	const struct os *os = machine_os_const(v->m.s->machine);
	const int i = v->general && v->general != spot_tid(v->m.at)
	                      ? os_thread_find(os, (uint32_t)v->general)
	                      : -1;
	return i < 0 ? NULL : &os_threads(os)[i];
}

bool registers_read_value(const struct server *v, unsigned number, uint64_t *value)
{
	const struct os_thread *t = registers_parked_thread(v);
	const uint64_t fcsr = t ? t->fcsr : spot_fcsr(v->m.at);
	const unsigned reg = number < NUMBER_PC ? number : REG_F0 + number - NUMBER_F0;
	if (number == NUMBER_PC)
		*value = t ? os_thread_call_pc(t) : spot_pc(v->m.at);
	else if (number < NUMBER_FFLAGS)
		*value = t ? t->r[reg] : spot_reg(v->m.at, reg);
	else if (number == NUMBER_FFLAGS)
		*value = fcsr & FFLAGS_MASK;
	else if (number == NUMBER_FRM)
		*value = fcsr >> FRM_SHIFT & FRM_MASK;
	else if (number == NUMBER_FCSR)
		*value = fcsr & FCSR_MASK;
	else {
		const int csr = csr_of(v, number);
		return csr >= 0 && csrs_read(v->m.s, (unsigned)csr, value);
	}
	return true;
}

static bool write_register(struct server *v, unsigned number, uint64_t value, struct err *err)
{
	if (registers_are_narrow(v) && number < NUMBER_PC)
		value = (uint64_t)(int64_t)(int32_t)value;
	struct change c = {.kind = JOURNAL_REG, .a = number, .b = value};
	uint64_t now;
	const int csr = csr_of(v, number);
	/* Writing an unchanged value would cut the recorded future for nothing. */
	if (!number || (registers_read_value(v, number, &now) && now == value))
		return true;
	if (number == NUMBER_PC)
		c = (struct change){.kind = JOURNAL_PC, .a = value};
	else if (number >= NUMBER_F0 && number < NUMBER_FFLAGS)
		c.a = REG_F0 + number - NUMBER_F0;
	else if (number >= NUMBER_FFLAGS && csr >= 0)
		c = (struct change){.kind = JOURNAL_CSR, .a = (unsigned)csr, .b = value};
	else if (number >= NUMBER_FFLAGS)
		return err_set(err, "no register has the number %u", number);
	if (c.kind == JOURNAL_CSR && !csrs_may_set(v->m.s, (unsigned)csr, value, err))
		return false;
	return change_of_thread(registers_parked_thread(v), &c, err) &&
	       mover_change(&v->m, &c, err);
}

static void registers_append_hex(const struct server *v, struct answer *a, unsigned number,
                                 uint64_t value)
{
	answer_hex(a, &value, registers_byte_size(v, number));
}

void registers_all(struct server *v, struct answer *a)
{
	for (unsigned i = 0; i < NUMBER_CSRS; i++) {
		uint64_t value = 0;
		registers_read_value(v, i, &value);
		registers_append_hex(v, a, i, value);
	}
}

void registers_one(struct server *v, const char *args, struct answer *a)
{
	uint64_t number, value;
	if (!take_number(&args, &number) || number > UINT16_MAX ||
	    !registers_read_value(v, (unsigned)number, &value))
		answer_text(a, "E01");
	else
		registers_append_hex(v, a, (unsigned)number, value);
}

static void registers_answer_result(struct answer *a, bool ok, const struct err *err)
{
	if (ok)
		answer_text(a, "OK");
	else
		answer_text(a, "E.%s", err->msg);
}

void registers_set_one(struct server *v, const char *args, struct answer *a)
{
	uint64_t number, value = 0;
	struct err err;
	if (!take_number(&args, &number) || number > UINT16_MAX || !take_text(&args, "=") ||
	    from_hex(args, &value, sizeof value) != (long)registers_byte_size(v, (unsigned)number))
		answer_text(a, "E16");
	else
		registers_answer_result(a, write_register(v, (unsigned)number, value, &err), &err);
}

void registers_set_all(struct server *v, const char *hex, struct answer *a)
{
	uint8_t bytes[8 * NUMBER_CSRS];
	struct err err;
	const long n = from_hex(hex, bytes, sizeof bytes);
	long at = 0;
	bool ok = n > 0;
	if (!ok)
		err_set(&err, "that is no register file");
	for (unsigned i = 0; ok && i < NUMBER_CSRS; at += registers_byte_size(v, i++)) {
		uint64_t value = 0;
		if (at + (long)registers_byte_size(v, i) > n)
			break;
		memcpy(&value, bytes + at, registers_byte_size(v, i));
		ok = write_register(v, i, value, &err);
	}
	registers_answer_result(a, ok, &err);
}

void registers_expedite(struct server *v, struct answer *a)
{
	static const uint8_t wanted[] = {NUMBER_PC, REG_SP, REG_FP, REG_RA};
	for (unsigned i = 0; i < sizeof wanted; i++) {
		uint64_t value = 0;
		registers_read_value(v, wanted[i], &value);
		answer_text(a, "%02x:", wanted[i]);
		registers_append_hex(v, a, wanted[i], value);
		answer_text(a, ";");
	}
}

/* ---- the target description ---- */
static void put_csrs(const struct server *v, FILE *f, bool custom)
{
	char name[32];
	int csr;
	for (unsigned number = NUMBER_CSRS; (csr = csr_of(v, number)) >= 0; number++)
		if (((unsigned)csr >> 8 == 8) == custom)
			fprintf(f,
			        "<reg name=\"%s\" bitsize=\"%u\" type=\"int\" regnum=\"%u\" "
			        "save-restore=\"no\" group=\"%s\"/>\n",
			        csr_name((unsigned)csr, name, sizeof name),
			        registers_are_narrow(v) ? 32 : 64, number,
			        custom ? "profiling" : "csr");
}

/* Ends the element of an integer register or pc with attributes for lldb 16, which lacks RISC-V:
 * the register's role, and its number in DWARF. gdb ignores them. */
static void put_lldb_numbers(FILE *f, unsigned number)
{
	const char *const role = number == NUMBER_PC ? "pc"
	                         : number == REG_SP  ? "sp"
	                         : number == REG_FP  ? "fp"
	                         : number == REG_RA  ? "ra"
	                                             : NULL;
	if (number < NUMBER_PC)
		fprintf(f, " dwarf_regnum=\"%u\" ehframe_regnum=\"%u\"", number, number);
	if (role)
		fprintf(f, " generic=\"%s\"", role);
	else if (number >= REG_A0 && number <= REG_A7)
		fprintf(f, " generic=\"arg%u\"", number - REG_A0 + 1);
	fputs("/>\n", f);
}

char *registers_description(const struct server *v)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	const unsigned bits = registers_are_narrow(v) ? 32 : 64;
	fprintf(f,
	        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
	        "<target version=\"1.0\">\n<architecture>riscv:rv%u</architecture>\n"
	        "<osabi>GNU/Linux</osabi>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n",
	        bits);
	for (unsigned i = 0; i <= NUMBER_PC; i++) {
		fprintf(f, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" regnum=\"%u\"",
		        i == NUMBER_PC ? "pc" : i == REG_FP ? "fp" : reg_name(i), bits,
		        i == NUMBER_PC || i == REG_RA                ? "code_ptr"
		        : i == REG_SP || i == REG_FP || i == 3 || i == 4 ? "data_ptr"
		                                                         : "int",
		        i);
		put_lldb_numbers(f, i);
	}
	fputs("</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n<union id=\"riscv_double\">"
	      "<field name=\"float\" type=\"ieee_single\"/>"
	      "<field name=\"double\" type=\"ieee_double\"/></union>\n",
	      f);
	for (unsigned i = 0; i < 32; i++)
		fprintf(f,
		        "<reg name=\"%s\" bitsize=\"64\" type=\"riscv_double\" regnum=\"%u\" "
		        "dwarf_regnum=\"%u\" encoding=\"ieee754\" format=\"float\"/>\n",
		        reg_name(REG_F0 + i), NUMBER_F0 + i, REG_F0 + i);
	for (unsigned i = NUMBER_FFLAGS; i < NUMBER_CSRS; i++)
		fprintf(f, "<reg name=\"%s\" bitsize=\"32\" type=\"int\" regnum=\"%u\"/>\n",
		        i == NUMBER_FFLAGS ? "fflags"
		        : i == NUMBER_FRM  ? "frm"
		                           : "fcsr",
		        i);
	fputs("</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n", f);
	put_csrs(v, f, false);
	fputs("</feature>\n<feature name=\"org.cyclops.profiling\">\n", f);
	put_csrs(v, f, true);
	fputs("</feature>\n</target>\n", f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}
