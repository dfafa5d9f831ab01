#!/bin/bash
# --help fits the terminal: its lines are wrapped to it, at words, and to 80 columns if there is
# none. Each command's text is about itself, and a session's words are explained. And a report is
# never written over an executable, which a forgotten argument names.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

cat >"$dir/width.py" <<'END'
import fcntl, os, pty, struct, subprocess, sys, termios

columns, command = int(sys.argv[1]), sys.argv[2:]
child, fd = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(command[0], command)
text = b""
try:
    while piece := os.read(fd, 65536):
        text += piece
except OSError:
    pass
os.waitpid(child, 0)
lines = text.decode().replace("\r", "").split("\n")
# Lines of prose that have room for the next line's first word.
piped = subprocess.run(command, capture_output=True, text=True).stdout.split("\n")
begin = next(line for line in piped[1:] if line[:1].strip())[:20]
first = next(i for i, line in enumerate(lines) if line.startswith(begin))
stumps = [a for a, b in zip(lines[first:], lines[first + 1:]) if a[:1].strip() and b[:1].strip()
          and len(a) + 1 + len(b.split()[0]) < columns]
blanks = [line for line in lines if line.endswith(" ")]
print(*stumps, *blanks)
print(max(len(line) for line in lines), max(len(line) for line in piped), " ".join(" ".join(lines).split()), sep="\n")
END
for of in run compare bakeoff sweep asm gdb dap lab tour demo lua instrument manual; do
	for columns in 80 120; do
		command="$of --help on $columns columns"
		python3 "$dir/width.py" $columns "$CYCLOPS" $of --help >"$dir/out"
		check "no line ends early, or with a blank" [ -z "$(head -n 1 "$dir/out")" ]
		check "no line is wider" [ "$(sed -n 2p "$dir/out")" -lt $columns ]
		check "nor in a pipe" [ "$(sed -n 3p "$dir/out")" -lt 80 ]
		# The words are those of the text for no terminal.
		"$CYCLOPS" $of --help | tr -s ' \n' '  ' |
			sed 's/^ //; s/ $//' >"$dir/whole"
		tail -n 1 "$dir/out" >"$dir/words"
		check "no word is cut" [ "$(cat "$dir/words")" = "$(cat "$dir/whole")" ]
	done
done

cp "$CYCLOPS" "$dir/program"
for option in "bakeoff --json" "bakeoff --csv" "compare --json" "run --stats"; do
	# shellcheck disable=SC2086 # two words
	run 125 $option "$dir/program"
	says err "that is an executable, which would be overwritten"
	check "it is what it was" cmp -s "$CYCLOPS" "$dir/program"
done
run 0 run --help
check "no other command's parameters" [ "$(grep -c -e ui.start -e compare "$dir/out")" = 0 ]
check "settings are whole" grep -q -e '--sample \[SETTINGS\]  *SETTINGS are' "$dir/out"
run 0 compare --help
check "the machines of compare" [ "$(grep -c -e --sample "$dir/out")" = 0 ]
run 0 lab --help
says out "        | new FOLDER]"
for word in twin slots pipe ipc; do
	run 0 $word --help
	says out "$word is a word of a session (\`cyclops PROGRAM\`), not of the command line."
	"$CYCLOPS" help $word >"$dir/help"
	check "its help" cmp -s <(tail -n +3 "$dir/out") "$dir/help"
	run 125 $word
	says err "it is a word of a session: \`cyclops help $word\`"
done
run 0 bakeoff --help
says out "write the results as JSON"
finish
