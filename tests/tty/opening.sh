#!/bin/bash
# The beginning of a session on the screen: at main with a full window, or before the first cycle on
# request; no pane is empty there without a message.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# opens WORDS: the screen, as the words have it.
opens() {
	shell_runs "$CYCLOPS $*"
	wait_for ' cycle [0-9]' && wait_until drawn && wait_until says . ||
		not_ok "the screen opens: $*"
}
at_main() { look && [[ ${lines[0]} =~ \ main\ \(linked\.c:44\) ]] && [ "$(cycle)" -gt 1000 ]; }
past_reset() { [ "$(cycle)" -gt 1000 ]; }
at_reset() { look && [[ ${lines[0]} =~ \ cycle\ 0\  ]] && [ "$(cycle)" = 0 ]; }

open_terminal 120 40

# tells_window LAYOUT: without a row that there is none.
tells_window() {
	keys "$1"
	wait_for "\\[$1 [a-z]+\\]" && wait_for '^─ Registers ' &&
		lacks '^─ (Reorder buffer|Issue queue)'
}

# ---- the place that takes most of the time ----
opens -n build/demos/linked
check 'it opens in the hottest line' wait_for '^ ▶ +38 +sum \+= node->value; +█+ 3[0-9]\.[0-9] % [23][0-9] % l2'
check 'its loads wait, and their wait is folded' wait_for '=+⋯[0-9]+⋯.*IMM +L2, [0-9]+ left'
check 'and the three places are listed' wait_for '^ 1 +3[0-9] % +[23][0-9] % +waits for L2 +walk, linked\.c:38'
check 'of how many cycles' wait_for '^─ Where the time goes ─+ cycles 0 to [0-9,]+ by slots, IPC 0\.'
check 'the message says the same in words' says \
	'^ Of the first [0-9,]+ cycles: 3[0-9] % of the time is in walk, linked\.c:38; for [23][0-9] % it waits for L2'
check 'with the rest' wait_for '^ +[0-9]+ % +elsewhere; largest +[0-9]+ %: +main, linked.c:'
check 'what-if is of a part' wait_for '^ +around cycle [0-9,]+:'
check 'and the machine without their causes' wait_for '^ +-[0-9]+ % +without L1D misses +l1d.perfect=true'
check 'what follows is recorded' wait_for '◀ [0-9,]+ cycles ago ▶$'
resize 80 24
check 'the sentence fits a small terminal' wait_for 'for$|for [23][0-9] %( |$)'
check 'and a number keeps its %' lacks '^ %'
resize 120 40
check 'layouts are tabs' wait_for ' 1 2 3 4 \[5 source\] 6 7 8$'
wait_until cycle >"$TTY_HOME/there" && there=$(tail -1 "$TTY_HOME/there")
command_line 'a breakpoint that was passed before says so' 'break main' \
	'^ It was passed 1 time before this cycle, first in cycle [0-9,]+: rc goes back'
command_line 'up selects the caller' up '^─ Source, frame #1 ─'
check 'with its line' wait_for '^ ↪ +70 '
check 'and its variables' wait_for '─ Variables ─+ frame #1 '
check 'which the top line says' wait_for '^ .*, frame #1 selected'
command_line 'down selects the program again' 'down; delete' '^ ▶ +38 +sum'
enter 'goto start'
command_line 'in the library, the line that called it is shown' 'goto calloc' '^ ↪ +45 '
check 'on the top line, too' wait_for '^ .* from linked.c:45 '
enter 'goto spent 1'
check 'the place again' wait_until is "$there" cycle
command_line 'another place is one command away' 'goto spent 2' '^ ▶ +53 +order'
command_line 'and back' 'goto spent 1' '^ ▶ +38 +sum'
check 'to the same cycle' wait_until is "$there" cycle
press 'the end has a page' c '^─ The end: where the time went ─+ [0-9,]+ cycles, by slots, IPC 0.5[0-9], [0-9,]+ instructions'
check 'the CPI stack stands below it where there is room' wait_for '^─ CPI stack .*┬─ Guest output '
check 'with the output' wait_for '(^|│) shuffled: 183218384896'
check 'and its own keys' wait_for '^ Enter go there  S back  r run again '
press 'x proposes a name for its page' x 'cyclops. export html [a-z]+\.html'
keys Escape
check 'and Esc drops it' wait_gone 'cyclops. export html'
press 'Enter goes to the first place' Enter '^ ▶ +38 +sum'
press 'and on to the end' c '^─ The end: where the time went '
press 'm goes back to main, in what is recorded' m '^ ▶ +44 '
check 'nothing of it is cut' wait_for '◀ [0-9,]+ cycles ago ▶$'
press 'and on to the end' c '^─ The end: where the time went '
keys Down Down Down Down Down
press 'Enter on the heading of what-if says of what' Enter '^ The rows below are of cycles [0-9,]+ to [0-9,]+, by'
keys Down
press 'Enter on its rows says what they mean' Enter \
	'^ Without L1D misses \(l1d\.perfect=true\) these [0-9,]+ cycles would be [0-9]+ % fewer\.'
keys Up Up
press 'Enter on the rest lists it' Enter '┌─ view hot lines all '
check 'of the whole run' wait_for '│ Hot lines  cycles 0 to [0-9,]+: '
keys Escape
press 'W judges the whole run' W '^ all [0-9,]+ cycles: '
command_line 'a part is judged over the page' 'slow 1000 9000' '^ cycles 1,000 to 9,000: '
check 'which counts the whole run again' wait_for '^ 1 +3[0-9] % +.* walk, linked\.c:38'
check 'and keeps the answer' wait_for '^ cycles 1,000 to 9,000: '
tells 'running again compares' r 'exited with status 0, .*; [0-9,]+ cycles again: nothing has changed'
command_line 'a sample says how to go to a unit' 'sample 20' '^.│ Sample .*; sample goto UNIT'
keys Escape
command_line 'and goes there' 'sample goto 3' '^ unit 3: history begins before it'
press 'to the end of that part' c '^ The program exited with status 0, '
check 'which is not compared with the whole run' lacks 'the run before took'
press 'nor the whole run with it' r '^─ The end: where the time went ─+ 5[0-9,]+ cycles, by slots, '
check 'by its message' lacks 'the run before took'
press 'an empty window leaves its room to the pipe and the registers' 2 '^─ Functional units .*┬─ Registers '
check 'layout 8, too' tells_window 8
press 'back where it is not empty, its panes are there' 'S 2' '^─ Reorder buffer '
leave
check 'its output stays on the terminal' wait_for '^shuffled: 183218384896'
opens -n build/demos/chess
check 'time in the library counts for the line that calls it' wait_for '^ ▶ +454 +fprintf'
check 'it is the only place of its own' wait_for '^ 1 .* main, chess\.c:454'
leave

opens -n build/tests/dynamic/varspie
check 'a dynamic program opens in its own code, too' wait_for '^ varspie .*[ (]vars\.c:[0-9]+'
leave

# ---- the end: edit, build, run again ----
cat >"$TTY_HOME/loop.c" <<'C'
#include <stdio.h>
#include <unistd.h>
int data[4096];
int main(void)
{
	long sum = 0;
	printf("terminal %d%d%d\n", isatty(0), isatty(1), isatty(2));
	for (int r = 0; r < 20; r++)
		for (int i = 0; i < 4096; i++)
			sum += data[i] / (r + 1);
	printf("sum %ld\n", sum);
	__builtin_trap();
}
C
cat >"$TTY_HOME/edit" <<'SH'
#!/bin/sh
test "$1" = +10 && sed -i 's,/ (r + 1),* (r + 1),' "$2"
SH
cat >"$TTY_HOME/spoil" <<'SH'
#!/bin/sh
echo 'int main(' >"$2"
SH
chmod +x "$TTY_HOME/edit" "$TTY_HOME/spoil"
open_terminal 120 40 "EDITOR=$TTY_HOME/edit" TERM=xterm-unheard
enter_shell() { shell_runs "cd '$TTY_HOME' && '$CYCLOPS' -n $*"; }
enter_shell -o ui.start=main loop.c
check 'a terminal that the host does not know is used like another' \
	wait_for "This host does not know the terminal 'xterm-unheard': it is used like 'xterm'"
press 'a program that dies has printed what it had to say' c 'terminal 111'
check 'all of it' wait_for '(^|│) sum 0$'
check 'the three places are of the whole run' wait_for '^ 1 +[89][0-9] % .* main, loop\.c:10'
press 'e edits its line' e 'loop.c has changed: r at the program.s end builds it'
press 'r builds and runs it, and says the difference' r 'the run before took$'
check 'in per cent' wait_for '^ [0-9,]+: -[0-9.]+ % cycles, '
check 'the line is the new one' wait_for 'sum \+= data\[i\] \* \(r \+ 1\);'
leave
open_terminal 120 40 "EDITOR=$TTY_HOME/spoil"
enter_shell -o ui.start=main loop.c
press 'the end' c '(^|│) sum 0$'
command_line 'an editor spoils it' edit 'loop.c has changed'
command_line 'it is reported that it does not build' again 'it does not build, and this run stays: '
check 'and the run stays' wait_for '^─ The end: faulted in main, loop\.c:12: '
leave

# ---- a program that dies ----
cat >"$TTY_HOME/dies.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) int load(const int *p)
{
	return *p;
}
int main(void)
{
	volatile long address = 16;
	printf("a line\nand a part");
	return load((const int *)address);
}
C
open_terminal 120 40
enter_shell dies.c
check 'it opens a cycle before the end, where the program dies' wait_for '^ ▶ +4 +return \*p;'
death='faulted in load, dies\.c:4: load from a bad address, 0x10 \(SIGSEGV\)'
check 'and says how' wait_until says "^ The program $death, in the next cycle\\."
press 'the end says it, too' c "^─ The end: $death ─"
check 'lines are written, as on a terminal' wait_for '(^|│) a line$'
check 'the rest is in its buffer' wait_for "never written, in stdout's buffer: 10 bytes$"
check 'and is shown' wait_for '(^|│) and a part$'
leave
open_terminal 80 24
enter_shell dies.c
check 'in a small terminal the sentence has one row' wait_until says "^ It $death\$"
check 'above it is the timeline' wait_for '^ 0 [▁▂▃▄▅▆▇]+▼ '
press 'at the end, too' c '^ The program died in cycle [0-9,]+, after [0-9,]+ instructions$'
check 'which the title explains' wait_for '^─ The end: faulted in load'
leave
open_terminal 80 24
opens -n build/demos/linked
check 'a short sentence has its limits, too' wait_for '^ So far: 3[0-9] % of the time'
leave

# ---- keys typed while the screen opens ----
open_terminal 80 24
wait_until at_shell
type_text "'$CYCLOPS' -n build/demos/linked"
keys Enter : "record $TTY_HOME/early.cast" Enter s s : 'print 6*7' Enter q
check 'all are carried out' wait_for '^in order: '
check 'the last of which leaves' wait_until at_shell
check 'and a recording has their pictures' [ "$(grep -c '"o"' "$TTY_HOME/early.cast")" -ge 4 ]
check 'the last answer among them' grep -q '\$1 = 42' "$TTY_HOME/early.cast"
check 'a lab without a screen is not played unasked' grep -q 'lab --batch 1' \
	< <("$CYCLOPS" lab 1 2>&1 </dev/null)
open_terminal 120 40

# ---- main ----
opens -n -o ui.start=main build/demos/linked
check 'it opens at main' at_main
check 'and says how to go on' says \
	'^ Opened at main: s steps, S back, c runs, \? help, Ctrl-P finds all, t tours'
check 'its first instruction is next to commit' wait_for '^ ▶ #[0-9]+ +addi sp,sp,-32 +commits next'
check 'others are behind it' wait_for '^   #[0-9]+ +sd ra,24\(sp\) +executing'
check 'nothing is newer' wait_for '● live$'
there=$(cycle)
command_line 'main is marked' 'mark' "^ main +cycle ${there%???},${there: -3}"
command_line 'without a breakpoint' 'break main' 'Breakpoint 1 at main'
press 'a step commits it' s '^ ▶ #[0-9]+ +sd ra,24\(sp\)'
enter 'goto 0'
check 'it goes back to the first cycle' wait_until at_reset
press 'and on again' r '^ ▶ #[0-9]+ +sd ra,24\(sp\)'
leave
opens -n -o ui.start=main -c classic5 build/demos/linked
check 'with another pipeline' at_main
check 'where it is next, too' wait_for '^ [▶ ] +#[0-9]+ +addi sp,sp,-32 .*commits next'
leave
opens -n --no-history build/demos/linked
check 'without history' at_main
leave

# ---- the first cycle ----
opens -n -o ui.start=reset build/demos/linked
check 'ui.start=reset opens at the first cycle' at_reset
check 'and the message says how to go on' says '^ Press s to step, c to run'
command_line 'show tells' 'show ui.start' '^ ui\.start = reset'
tells 'what is no place' ': set Space ui.start Space end Enter' 'is ahead, main or reset'
leave
opens -n -e "'set width 90'" build/demos/linked
check 'commands expect the first cycle' at_reset
leave
echo 'set width 90' >"$TTY_HOME/commands"
opens -n -x "$TTY_HOME/commands" build/demos/linked
check 'so do files of them' at_reset
leave
opens -n -e "'set width 90'" -o ui.start=main build/demos/linked
check 'unless options say otherwise' at_main
leave
mkdir -p "$TTY_HOME/.config/cyclops"
echo 'set ui.start = reset' >"$TTY_HOME/.config/cyclops/init"
opens build/demos/linked
check 'the startup file may want it' at_reset
leave
opens -o ui.start=main build/demos/linked
check 'an option outdoes that' at_main
leave
echo 'step 7' >"$TTY_HOME/.config/cyclops/init"
opens build/demos/linked
check 'after a motion the cycle stays' is 7 cycle
leave
rm "$TTY_HOME/.config/cyclops/init"
check 'a batch begins there' grep -q '^now 0$' < <("$CYCLOPS" -n --batch -e 'help sim.cycles' \
	build/demos/linked)
for words in "-o ui.start=end" "run -o ui.start=main"; do
	# shellcheck disable=SC2086
	check "wrong: $words" grep -qE '(expected|use) .*ui.start=main' \
		< <("$CYCLOPS" $words build/demos/linked 2>&1 </dev/null)
done

# ---- without main, or if it is never reached ----
riscv64-linux-gnu-strip -g -o "$TTY_HOME/symbols" build/demos/linked
opens -n -o ui.start=main "$TTY_HOME/symbols"
check 'a symbol is enough' wait_for '^ ▶ #[0-9]+ +addi sp,sp,-32 +commits next'
leave
riscv64-linux-gnu-strip -o "$TTY_HOME/stripped" build/demos/linked
opens -n "$TTY_HOME/stripped"
check 'no symbol: it opens in the function that takes most of the time' \
	wait_for '^ 1 +[0-9]+ % .* function 0x1'
check 'and not at the first cycle' wait_until past_reset
check 'the code stands for the source' wait_for '^─ Source ─.* no source line is known'
leave
opens -n "$TTY_HOME/symbols"
check 'no lines: it opens in the function, by its name' wait_for '^ 1 +[0-9]+ % .* main +'
check 'which is next' wait_for '^ symbols .* main\+0x'
leave
opens -n --patch _start=05d00893 --patch _start+4=00000073 build/demos/linked
check 'it exits before main: the first cycle' at_reset
check 'and nothing is said to be at main' says '^ Press s'
leave
opens -n --patch _start=0000006f build/demos/linked
check 'it never gets to main: the first cycle' at_reset
leave

# ---- empty panes show when they fill ----
open_terminal 200 60
opens -n -o ui.start=reset build/demos/linked
says_when() {
	keys "$1"
	shift
	for text; do
		check "in the first cycle: $text" wait_for "$text"
	done
}
says_when 2 'no instruction had been fetched by then: each has a row' \
	'no instruction in the window: fetch goes on at _start' \
	'no load or store in the window: each has a row' \
	'─ Source ─+ linked.c:43  main; _start has no lines'
says_when 1 'no instruction between fetch and dispatch: fetch goes on at _start'
says_when 3 'no cycle has passed yet; `step` executes one'
says_when 4 'no miss or write is on its way; 8 registers' 'no translation yet: the first access'
says_when 5 'the program has written nothing yet' 'no debug information about variables at'
leave

# ---- while it runs ahead ----
# The first picture of a recording that the user's file begins.
mkdir -p "$TTY_HOME/.config/cyclops"
echo "record $TTY_HOME/first.cast" >"$TTY_HOME/.config/cyclops/screen"
opens -n build/demos/linked
check 'it has opened' wait_for '% of the time is in walk'
leave
check 'panes were filled before' grep -q '^\[0\.0*, "o",.*Source.*linked\.c:[0-9]' \
	<(sed -n 2p "$TTY_HOME/first.cast")
finish
