#!/bin/bash
# Names of files, symbols, sections and texts of files with control characters in them: no command
# of the program's table passes them on to a terminal (terminal.py).
within=build/tests
. tests/lib.sh
passes "commands on a terminal" tests/trust/terminal.py "$dir"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
# A name with a line end begins no line.
export HOME=$dir XDG_DATA_HOME='' XDG_CACHE_HOME=''
cp build/tests/cli/guest "$dir/a
forged"
cp tests/asm/hello.s "$dir/a
forged.s"
for words in run asm 'lab check 1' 'lab grade 1' sweep compare lua 'run -c' 'run --restore' \
	'--batch -x' 'lab page' help manual tour demo 'run --stdin' 'run -o' 'run --cc'; do
	for name in "$dir/a
forged" "$dir/a
forged.s"; do
		# shellcheck disable=SC2086
		timeout 60 "$CYCLOPS" $words "$name" >"$dir/out" 2>"$dir/err" </dev/null
		command="$words"
		check "no line is forged" [ "$(cat "$dir/out" "$dir/err" | grep -c '^forged')" = 0 ]
	done
done
# The user's own files that readline and ncurses open may be named pipes, which never open.
for own in .inputrc .terminfo/x/xterm-256color .terminfo/78/xterm-256color; do
	rm -rf "$dir/home" && mkdir -p "$(dirname "$dir/home/$own")" && mkfifo "$dir/home/$own"
	for screen in --no-screen ''; do
		command="a session on a terminal, $own is a named pipe"
		check "it begins, and ends" python3 - "$dir/home" "$CYCLOPS" -n $screen "$dir/a
forged" <<'END'
import os, pty, select, sys, time
pid, fd = pty.fork()
if not pid:
    os.environ.update(HOME=sys.argv[1], TERM="xterm-256color")
    for name in ("TERMINFO", "INPUTRC"):
        os.environ.pop(name, None)
    os.execv(sys.argv[2], sys.argv[2:])
seen, until = b"", time.monotonic() + 60
while time.monotonic() < until:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            seen += os.read(fd, 65536)
        except OSError:
            sys.exit(os.waitpid(pid, 0)[1] != 0)
    elif seen:
        os.write(fd, b"\x15quit\n" if b"(cyclops)" in seen else b"q")
        seen = b""
os.kill(pid, 9)
sys.exit(1)
END
	done
done
finish
