/* The page `help dap`. */
#include "ui/help/help_dap.h"

#include "ui/console/command.h"

void help_put_dap(struct console *c)
{
	console_print(
		c,
		"An editor debugs a program on this machine, forwards and backwards, by the Debug "
		"Adapter Protocol.\n"
		"docs/dap.md has settings for VS Code, Neovim and Emacs. The editor begins\n"
		"  cyclops dap                             and names the program; or it connects "
	        "to\n"
		"  cyclops dap --listen PORT PROGRAM ARGS  a session here, by `attach`\n"
		"--listen takes HOST:PORT and unix:PATH, too. At a TCP port anybody on this "
		"computer may connect:\n"
		"nothing is launched there but PROGRAM, and commands that reach files are refused; "
		"unix:PATH is yours alone.\n\n"
		"What `launch` takes:\n"
		"  program, args, cwd, env   a program or a source file; {\"NAME\": \"VALUE\"}\n"
		"  config                    a preset or file: wide6\n"
		"  options                   a list, as on the command line: [\"-o\", "
		"\"pipe.rob_size=64\", \"--rw\"]\n"
		"  stdin                     the file that the program reads; without, nothing\n"
		"  commands                  a list of commands of ours that come first\n"
		"  stopOnEntry, stopOnExit   stop at main; stop where it exits, to go back from "
	        "there\n\n"
		"Steps, backwards too, are by lines or instructions; cyclops/stepCycles "
	        "{\"cycles\": "
		"N} goes by cycles, back if\n"
		"N is negative, and cyclops/reverseFinish to the call of the function. The scope "
		"Pipeline says what the line\n"
		"waits for. Exception filters: signals, mispredictions, L2 misses; a condition is "
		"about the event's fields\n"
		"(latency > 100). The debug console takes expressions and every command of ours: "
		"why, view rob, goto 12,000;\n"
		"a variable that is called as a command stands in parentheses: (s).\n");
}
