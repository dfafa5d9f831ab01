#!/bin/bash
# Runs every command line that the README and the manual show without its answer (those with one are
# tests/teaching/run.sh's): each ends well. `prog` is a small demo, `prog.c` and `prog.s` programs
# that do nothing, `input` a file; where a person would see the screen, a few cycles are stepped.
# shellcheck source=tests/lib.sh
. tests/lib.sh
top=$PWD
echo 'int main(void) { return 0; }' >"$dir/prog.c"
printf '.globl _start\n_start: li a0, 0\nli a7, 93\necall\n' >"$dir/prog.s"
: >"$dir/empty.s"
mkdir "$dir/sysroot" "$dir/folder" # in place of a page's folders
echo 10 >"$dir/input"
mkdir -p "$dir/build" && ln -s "$top/build/demos" "$dir/build/demos"

# Blocks without a language; text after two blanks explains the line.
lines() {
	awk 'FNR == 1 { in_block = other = 0 }
		/^```./ { other = 1; next }
		/^```$/ { if (other) other = 0; else in_block = !in_block; next }
		in_block && /^build\/cyclops / { sub(/   *[^ ].*$/, ""); print FILENAME "\t" $0 }' \
			"$@"
}

while IFS=$'\t' read -r page line; do
	command="$page: $line"
	cp "$top/build/demos/fib" "$dir/prog" # an earlier line may have written it
	words=" ${line#build/cyclops} "
	words=${words// ARGS / }
	[[ ! $words =~ \ --dir\ [^=\ ]*=([^:\ ]*) ]] || words=${words/"=${BASH_REMATCH[1]}"/=folder}
	words=${words//--sysroot \/srv\/riscv64/--sysroot sysroot}
	words=${words/ main.s sort.s / prog.s empty.s }
	[[ ! $words =~ ^\ *asm\ *$ ]] || continue # an editor on the screen: tests/tty/playground.sh
	[[ ! $words =~ ^\ *web\  ]] || continue # of a page that is built: tests/web/run.sh
	case $words in
	*' asm -o '* | *' run '* | *' compare '* | *' sweep '* | *' tour '* | *' help '* | \
		*' lua '* | *' instrument '*) ;;
	*) words=" --no-init --batch -e 'step 3'$words" ;;
	esac
	where=$top
	[[ $words != *' prog '* && $words != *' prog.c '* && $words != *' prog.s '* ]] || where=$dir
	if [[ $words =~ --restore\ ([^ ]*) ]]; then
		(cd "$dir" && "$CYCLOPS" run --max-insts 5k --save-to "${BASH_REMATCH[1]}" prog) \
			>/dev/null 2>&1 </dev/null
	fi
	status=0
	(cd "$where" && eval "\"\$CYCLOPS\" $words" </dev/null) >"$dir/out" 2>"$dir/err" ||
		status=$?
	check "exit status $status, expected 0" [ $status = 0 ]
	check "no demo finds itself wrong" [ "$(grep -cw WRONG "$dir/out")" = 0 ]
done < <(lines README.md TEACHING.md docs/*.md)
command='all pages'
check 'they have a dozen such lines' [ $passed -gt 24 ]
finish
