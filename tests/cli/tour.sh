#!/bin/bash
# `cyclops tour`: the list, playing as text, tours of one's own, and what is wrong with them.
. tests/lib.sh

run 0 tour
for tour in demos/tours/*.cyc; do
	name=$(basename "$tour" .cyc)
	check "$name is not listed with its title" grep -qxE \
		"  $name +$(sed -n '1s/^# //p' "$tour" | sed 's/[.*?[]/\\&/g')" "$dir/out"
done
check "first is not the first" grep -qE '^  first ' <(sed -n 3p "$dir/out")
silent err
run 0 tour --help
says out 'cyclops tour [[--batch] NAME | FILE.cyc]'
run 0 tour hello
says out 'Breakpoint 1, main (argc=1, argv=0x'
run 0 tour --batch hello
says out 'Breakpoint 1, main (argc=1, argv=0x'
run 125 tour helo
says err "no tour is called 'helo'; did you mean 'hello'?"
run 125 tour nothinglikeit
says err "no tour is called 'nothinglikeit'; \`cyclops tour\` lists them"
run 125 tour hello fib
says err "'fib'; right: cyclops tour [[--batch] NAME | FILE.cyc]"
run 125 tour --hello
says err "'--hello'; right: cyclops tour"
run 125 tour --batch
says err "right: cyclops tour"

# ---- one's own ----
own() { printf '%s\n' "$@" >"$dir/own.cyc"; }
own '# Mine' "# program: build/demos/fib" '' '# Words.' '' 'print 1 + 1'
run 0 tour "$dir/own.cyc"
says out '2'
# What the program reads, and its words.
own '# Mine' "# program: tests/cli/no-such" '' '# Words.' '' 'print 1'
run 125 tour "$dir/own.cyc"
says err "the program of tour 'own' is not there: tests/cli/no-such"
own '# Mine' "# program: build/demos/hello one two" '# options: -o pipe.rob_size=16' \
	'# input: README.md' '' '# Words.' '' 'info program' 'config pipe.rob_size'
run 0 tour "$dir/own.cyc"
says out 'one two'
says out '16'
own '# Mine' '# program: hello' '# options: --no-such-option' '' '# Words.' '' 'print 1'
run 125 tour "$dir/own.cyc"
says err "$dir/own.cyc: "
says err 'no-such-option'
own '# Mine' '# program: hello' '' '# Words.' '' 'print nosuch'
run 1 tour "$dir/own.cyc"
says err "$dir/own.cyc:6: "
own '# Nothing but a header' '# program: hello'
run 125 tour "$dir/own.cyc"
says err 'is no tour; right: a header of comments, then comments with commands below them'
run 125 tour "$dir/missing.cyc"
says err 'missing.cyc: No such file or directory'
mkdir "$dir/folder.cyc"
run 125 tour "$dir/folder.cyc"
says err 'folder.cyc'

# From anywhere, as long as the program stands below its demos.
tree=$PWD
cd "$dir" || exit 1
run 0 tour hello
says out 'Breakpoint 1, main (argc=1, argv=0x'
mkdir bin
cp "$CYCLOPS" bin/alone
program=$CYCLOPS CYCLOPS=$dir/bin/alone
run 125 tour hello
says err 'there is no folder demos/tours here or above the program; right: cyclops tour FILE.cyc, or a checkout of Cyclops'
CYCLOPS=$program
cd "$tree" || exit 1
command=''
finish
