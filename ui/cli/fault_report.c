#include "ui/cli/fault_report.h"

#include <inttypes.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/isa/op.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"
#include "hwviews/program/death.h"
#include "hwviews/program/frames.h"
#include "loader/assembled_note.h"
#include "loader/program.h"
#include "ui/render/safe_print.h"

int fault_exit_status(const struct machine *m)
{
	return 128 + trap_signal(machine_fault(m)->trap);
}

const char *fault_whose(const struct machine *m)
{
	return machine_pipe(m)->hart->mode == MODE_M ? "firmware" : "the program";
}

static void fault_report_print_place(FILE *f, struct program *program, uint64_t pc)
{
	char where[256];
	struct source_line line;
	say(f, "  at 0x%" PRIx64 " %s", pc, program_addr_text(program, pc, where, sizeof where));
	if (!program_line_at(program, pc, &line)) {
		fputc('\n', f);
		return;
	}
	say(f, ", %s:%u\n", line.file, line.line);
	const char *text = program_source_text(program, line.file, line.line, NULL);
	if (text)
		say(f, "  %6u  %s\n", line.line, text + strspn(text, " \t"));
}

static void fault_report_print_inst(FILE *f, const struct machine *m, const struct fault *fault)
{
	struct inst in;
	char text[96];
	if (fault->trap == TRAP_FETCH_FAULT || fault->trap == TRAP_FETCH_ALIGN)
		return;
	/* The machine's copy may lack its destination, which a fault never writes. */
	inst_decode_as(machine_isa(m), fault->inst.raw, &in);
	fprintf(f, "  %0*" PRIx32 "  %s\n", in.len * 2, in.len == 2 ? in.raw & 0xffff : in.raw,
	        inst_disasm(&in, fault->pc, text, sizeof text));
}

/* The mode that an instruction needs beyond programs' user mode; NULL: none. */
static const char *fault_report_privilege(const struct inst *in)
{
	static const char supervisor[] = "supervisor mode";
	const char *missing = inst_missing_extension(in);
	const bool csr = (inst_flags(in) & OPF_CSR) && (in->imm >> 8 & 3) == MODE_M;
	if (in->op == OP_MRET || in->op == OP_WFI || csr)
		return "machine mode";
	return missing && !strcmp(missing, supervisor) ? supervisor : NULL;
}

/* True for uret, and accesses of the registers that user-mode traps would have: ustatus, utvec,
 * uepc and their kin. */
static bool fault_report_is_user_trap(const struct inst *in)
{
	enum { URET = 0x00200073, USTATUS = 0, UIE = 4, UTVEC = 5, USCRATCH = 0x40, UIP = 0x44 };
	return in->raw == URET ||
	       ((inst_flags(in) & OPF_CSR) &&
	        (in->imm == USTATUS || in->imm == UIE || in->imm == UTVEC ||
	         (in->imm >= USCRATCH && in->imm <= UIP)));
}

/* Prints the extension of an illegal instruction, and how to proceed. */
static void put_extension(FILE *f, const struct machine *m, struct program *program)
{
	const struct fault *fault = machine_fault(m);
	struct inst in;
	if (fault->trap != TRAP_ILLEGAL)
		return;
	inst_decode(fault->inst.raw, &in);
	const enum extension e = inst_extension(&in);
	const char *missing = inst_missing_extension(&in), *arch = program_arch(program, fault->pc);
	const char *privilege =
		machine_pipe(m)->hart->mode == MODE_M ? NULL : fault_report_privilege(&in);
	if (fault_report_is_user_trap(&in))
		fputs("  a register or return of user-mode traps (extension N), which RARS has and "
		      "this machine has not: an exception ends the program here\n",
		      f);
	else if (privilege)
		fprintf(f,
		        "  an instruction of %s, and programs run in user mode; a bare-metal "
		        "program with a variable `tohost` runs in M-mode: --abi htif\n",
		        privilege);
	else if (machine_isa(m) == ISA_RV32GC && in.op != OP_ILLEGAL)
		fputs("  an instruction of RV64 or of an extension, and this is RV32GC\n", f);
	else if (e != EXT_NONE && machine_isa(m) == ISA_RV64GC)
		fprintf(f,
		        "  an instruction of %s, which this machine lacks: -o isa=all has it, or "
		        "compile with -march=rv64gc\n",
		        extension_name(e));
	else if (missing)
		fprintf(f,
		        "  an instruction of %s%s, which Cyclops lacks: compile with "
		        "-march=rv64gc, to which " INST_BEYOND " may be added\n",
		        missing, strcmp(missing, "v") ? "" : " (vectors)");
	else
		return;
	if (arch)
		say(f, "  its file was compiled for %s\n", arch);
}

/* Whether the instruction at pc is of a text of assembly. */
static bool fault_report_is_assembly(struct program *program, uint64_t pc)
{
	struct source_line line;
	const char *dot = program_line_at(program, pc, &line) ? strrchr(line.file, '.') : NULL;
	return program_assembled(program).text_end ||
	       (dot && (!strcmp(dot, ".s") || !strcmp(dot, ".S")));
}

/* Prints that a program of assembly accessed a device of a simulator of courses, or an address
 * that only a simulator has. */
static void fault_report_print_device(FILE *f, struct program *program, const struct fault *fault)
{
	const uint64_t high = fault->addr >> 32, low = fault->addr & UINT32_MAX;
	if (!trap_of_data(fault->trap) || !fault_report_is_assembly(program, fault->pc))
		return;
	if (fault->inst.rs1 == REG_ZERO)
		fputs("  an absolute address, and a program's memory is not at 0 here, as in "
		      "QtRVSim; use a label's: la t0,LABEL\n",
		      f);
	if ((high && high != UINT32_MAX) || low < 0xf0000000)
		return;
	fprintf(f, "  simulators of courses have devices there (%s); this machine has none\n",
	        low >= 0xffffc000   ? "QtRVSim: serial port, LEDs, display"
	        : low >= 0xffff0000 ? "RARS: keyboard, display, timer"
	                          : "Ripes: LEDs, switches, buttons");
}

/* Prints that a bare-metal program accessed a device of SiFive's and QEMU's boards. */
static void fault_report_print_board(FILE *f, const struct fault *fault)
{
	if (trap_of_data(fault->trap) &&
	    (fault->addr - 0x2000000 < 0x10000 || fault->addr - 0x10000000 < 0x100))
		fputs("  boards have a timer (CLINT) or a serial port there; this machine has "
		      "none: a program prints through Linux's ecalls, or `tohost` (--abi htif)\n",
		      f);
}

/* Prints that code lies in data. */
static void fault_report_print_data(FILE *f, const struct machine *m, const struct fault *fault)
{
	struct mem_region hit;
	if (fault->trap == TRAP_FETCH_FAULT &&
	    mem_next_region(machine_mem_const(m), fault->pc, &hit) && hit.start <= fault->pc &&
	    (hit.prot & PROT_W))
		fputs("  data is there, which is not executed unless the program makes it code "
		      "with mprotect()\n",
		      f);
}

/* Prints that an ebreak is a call of a debugger. */
static void fault_report_print_semihosting(FILE *f, const struct machine *m,
                                           const struct fault *fault)
{
	const struct mem *mem = machine_mem_const(m);
	uint32_t before, after;
	if (fault->trap == TRAP_EBREAK && mem_peek(mem, fault->pc - 4, &before, 4) &&
	    mem_peek(mem, fault->pc + 4, &after, 4) && before == SEMIHOSTING_BEFORE &&
	    after == SEMIHOSTING_AFTER)
		fprintf(f,
		        "  a semihosting call (%" PRIu64 " in a0), which a debugger would answer; "
		        "here a program prints by Linux's ecalls, or through `tohost` (--abi "
		        "htif)\n",
		        machine_reg(m, REG_A0));
}

/* Prints registers, four to a line; floating point registers only if one is not zero. */
static void fault_report_print_registers(FILE *f, const struct machine *m)
{
	uint64_t any_fp = machine_fcsr(m);
	for (unsigned r = 32; r < 64; r++)
		any_fp |= machine_reg(m, r);
	for (unsigned r = 0; r < (any_fp ? 64u : 32u); r++)
		fprintf(f, "%s%-4s %0*" PRIx64 "%s", r % 4 ? " " : "  ", reg_name(r),
		        reg_hex_digits(machine_isa(m), r),
		        reg_shown(machine_isa(m), r, machine_reg(m, r)), r % 4 == 3 ? "\n" : "");
	if (any_fp)
		fprintf(f, "  fcsr %" PRIx64 "\n", machine_fcsr(m));
}

/* Prints hints: sim.memory used up, or an access just below a full stack. */
static void put_limit(FILE *f, const struct machine *m, const struct fault *fault)
{
	enum { NEAR = 1 << 20 };
	if (!trap_of_data(fault->trap))
		return;
	struct mem_region hit;
	if (mem_next_region(machine_mem_const(m), fault->addr, &hit) && hit.start <= fault->addr &&
	    !strcmp(hit.name, MEM_SPARSE) && (hit.prot & PROT_W))
		fprintf(f,
		        "  the program has written all of sim.memory, %" PRId64
		        " bytes: -o sim.memory=BYTES gives more\n",
		        machine_config(m)->memory);
	for (struct mem_region r = {0}; mem_next_region(machine_mem_const(m), r.end, &r);)
		if (!strcmp(r.name, "stack") && fault->addr < r.start &&
		    r.start - fault->addr <= NEAR)
			fprintf(f,
			        "  the stack of %" PRIu64
			        " bytes is full: -o sim.stack=BYTES makes it larger\n",
			        r.end - r.start);
}

void unwritten_report(FILE *f, const struct machine *m, const struct program *program)
{
	char text[400];
	if (death_unwritten_text(program, m, text, sizeof text))
		say(f, "  %s\n", text);
}

void fault_report(FILE *f, const struct machine *m, struct program *program)
{
	const struct fault *fault = machine_fault(m);
	int signal = trap_signal(fault->trap);
	const char *name = os_signal_name((unsigned)signal);
	char past[384];
	const bool end = program_ran_past_end(program, fault->pc, past, sizeof past);
	fprintf(f, "cyclops: %s %s%s", fault_whose(m), end ? past : "faulted: ",
	        end ? "" : trap_name(fault->trap));
	if (trap_of_data(fault->trap))
		fprintf(f, ", 0x%" PRIx64, fault->addr);
	fprintf(f, " (%s), cycle %" PRIu64 ", instruction %" PRIu64 "\n", name ? name : "SIG?",
	        machine_cycle(m), machine_insts(m));
	put_limit(f, m, fault);
	fault_report_print_device(f, program, fault);
	fault_report_print_board(f, fault);
	fault_report_print_data(f, m, fault);
	if (!end) {
		fault_report_print_place(f, program, fault->pc);
		fault_report_print_inst(f, m, fault);
		put_extension(f, m, program);
	}
	fault_report_print_semihosting(f, m, fault);
	unwritten_report(f, m, program);
	fault_report_print_registers(f, m);
}

void stuck_report(FILE *f, const struct machine *m, struct program *program)
{
	enum { ECALL_BYTES = 4 };
	struct frame frames[FRAMES_MAX];
	char text[OS_WAIT_TEXT];
	fprintf(f,
	        "cyclops: the program can make no progress: %s, cycle %" PRIu64
	        ", instruction %" PRIu64 "\n",
	        os_wait_text(machine_os_const(m), machine_mem_const(m), text, sizeof text),
	        machine_cycle(m), machine_insts(m));
	fault_report_print_place(f, program, machine_pc(m) - ECALL_BYTES);
	size_t n = frames_in(program, m, frames, FRAMES_MAX);
	for (size_t i = 1; i < n; i++) {
		struct source_line line;
		bool known = program_line_at(program, frame_look(&frames[i]), &line) && line.line;
		if (frames[i].kind == FRAME_SIGNAL) {
			fputs("  " FRAME_SIGNAL_TEXT "\n", f);
			continue;
		}
		say(f, "  %s 0x%" PRIx64 " %s",
		    frames[i].kind == FRAME_AT ? "in the place of" : "called from", frames[i].pc,
		    program_addr_text(program, frames[i].pc, text, sizeof text));
		if (known)
			say(f, ", %s:%u", line.file, line.line);
		fputc('\n', f);
	}
	if (n == FRAMES_MAX)
		fputs("  and more calls: `backtrace` in a session lists all\n", f);
}
