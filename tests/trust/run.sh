#!/bin/bash
# Files in the present folder are data. Cyclops is installed below a path with blanks and quotes,
# by a user with private files, and every command of it is started in a folder that
# has a course, presets, modules, startup files, programs and names of its own (folder.py): nothing
# of it is executed, or read as code or configuration.
. tests/lib.sh
if ! strace -o "$dir/log" true 2>"$dir/err"; then
	echo "SKIPPED: strace does not work here: $(head -n 1 "$dir/err")"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset MAKEFLAGS MAKELEVEL MFLAGS
prefix="$dir/a  prefix, 'quoted' and \"quoted\" \$x; touch PWNED"
command="make install"
installs() { (umask 077 && make --no-print-directory install INSTALL_DEMOS= \
	PREFIX="${prefix//\$/\$\$}" >"$dir/out" 2>"$dir/err"); }
check "it can be installed" installs
check "nothing of the path is executed" [ -z "$(find . -maxdepth 1 -name 'PWNED*')" ]
check "everybody may read what is installed" \
	[ -z "$(find "$prefix" ! -perm -a=r -o -type d ! -perm -a=x)" ]
check "and no other user can write it" [ -z "$(find "$prefix" -perm /go=w)" ]
# One's own files may be pipes, devices without end or folders: none is waited for, or read for
# ever.
own=$dir/own labs=.local/share/cyclops/labs/01-pipeline
for kind in mkfifo mkdir 'ln -s /dev/zero' 'ln -s .'; do
	rm -rf "$own"
	mkdir -p "$own/$labs" "$own/.config/cyclops/layouts"
	for file in .config/cyclops/{init,screen,layouts/mine} .cyclops_history $labs/progress \
		.local/share/cyclops/last-session; do
		$kind "$own/$file"
	done
	for words in '--batch -e step tests/asm/hello.s' 'lab' 'lab check 1' 'lab --batch 1'; do
		command="with $kind for one's files: $words"
		# shellcheck disable=SC2086
		HOME=$own timeout 60 "$CYCLOPS" $words >"$dir/out" 2>"$dir/err" </dev/null
		check "it ends" [ $? != 124 ]
	done
done
mkdir "$dir/folder" "$dir/home"
# Files that are named: a text without an end is not read.
ln -s /dev/zero "$dir/device"
truncate -s 20G "$dir/large"
mkfifo "$dir/pipe"
for kind in 'device:a device, not a file' 'large:too large; expected at most 64 MB' \
	'pipe:a pipe, not a file'; do
	for name in .mic .c .cyc .lua .s; do
		ln -sf "$dir/${kind%%:*}" "$dir/text$name"
	done
	for words in 'microcode %.mic' 'run --cop %.mic G' 'run %.c' 'tour %.cyc' 'lua %.lua' \
		'run -c %.lua G' 'run --plugin bpred.kind=%.lua G' 'run %.s' 'asm -o %.out %.s' \
		'inspect --batch -x %.cyc G'; do
		words=${words/ G/ tests/asm/hello.s}
		command="cyclops $words, which is ${kind#*:}"
		# shellcheck disable=SC2086
		"$CYCLOPS" ${words//%/"$dir/text"} >"$dir/out" 2>"$dir/err" <"$stdin"
		check "it fails" [ $? != 0 ]
		says err "${kind#*:}"
	done
done
command=folder.py
: >"$dir/out"
passes "a folder that is no friend" tests/trust/folder.py "$prefix/bin/cyclops" "$dir/folder" \
	"$dir/home"
check "every command was tried" grep -qE '^[0-9]{3,} tried, 0 wrong$' "$dir/said"
finish
