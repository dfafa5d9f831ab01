/* The page `help gdb`. */
#include "ui/help/help_gdb.h"

#include "ui/console/command.h"

void help_put_gdb(struct console *c)
{
	console_print(
		c,
		"gdb debugs a program on this machine, forwards and backwards (gdb-multiarch, 13 "
		"or newer):\n"
		"  (gdb) target remote | cyclops gdb - PROGRAM ARGS      in one line, or\n"
		"  $ cyclops gdb PROGRAM ARGS                            here, and there:\n"
		"  $ gdb-multiarch -ex 'target remote 127.0.0.1:1234' PROGRAM\n"
		"Options stand before `-` and are those of `cyclops PROGRAM`: -c wide6, -o "
		"NAME=VALUE, --stdin FILE,\n"
		"-e COMMAND. --listen HOST:PORT or unix:PATH listens elsewhere. At a TCP port "
		"anybody on this computer\n"
		"may connect, so commands that reach files are refused there; unix:PATH is yours "
		"alone.\n\n"
		"  reverse-step, reverse-next, reverse-finish, reverse-continue   exactly as "
		"forwards\n"
		"  monitor COMMAND         any command of ours: why, view rob, stats, catch "
		"mispredict\n"
		"  info registers csr      cycle, instret, hpmcounter3...; `profiling`: those of "
		"ours\n"
		"  print $cycle            also in conditions: break leaf if $cycle > 20000\n"
		"A command that moves the machine (monitor goto 12,000) needs gdb to forget what "
		"it knows; in ~/.gdbinit:\n"
		"  define hookpost-monitor\n"
		"    maintenance flush dcache\n"
		"    maintenance flush register-cache\n"
		"  end\n\n"
		"gdb stops between two instructions, the machine between two cycles: where "
		"several committed in one, gdb\n"
		"is shown what the first of them did, and `monitor` speaks of the end of the "
		"cycle. A signal that ends\n"
		"the program stops gdb before that; an exit does not, and `break _exit` does. "
		"What gdb writes cuts the\n"
		"recorded future, as `set`. The program's input is --stdin, else the server's; "
		"with `-` it is empty. Its\n"
		"output goes to the server's, with `-` to gdb.\n");
}
