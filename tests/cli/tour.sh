#!/bin/bash
# `cyclops tour`: the list, playing as text, users' tours, and errors in them.
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
says out 'cyclops tour [[OPTIONS] NAME | FILE.cyc]'
run 0 tour hello
says out 'Breakpoint 1, main (argc=1, argv=0x'
run 0 tour --batch hello
says out 'Breakpoint 1, main (argc=1, argv=0x'
run 125 tour helo
says err "no tour is called 'helo'; did you mean 'hello'?"
run 125 tour nothinglikeit
says err "no tour is called 'nothinglikeit'; \`cyclops tour\` lists them"
run 125 tour hello fib
says err "'fib' is one word too many; expected cyclops tour [[OPTIONS] NAME | FILE.cyc]"
run 125 tour --hello
says err "unknown option '--hello'; did you mean '--help'?"
run 0 tour --batch
says out '  hello'

# ---- users' tours ----
own() { printf '%s\n' "$@" >"$dir/own.cyc"; }
own '# Mine' "# program: build/demos/fib" '' '# Words.' '' 'print 1 + 1'
run 0 tour "$dir/own.cyc"
says out '2'
# The program's input and arguments.
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
says err 'is no tour; expected a header of comments, then comments with commands below them'
run 125 tour "$dir/missing.cyc"
says err 'missing.cyc: No such file or directory'
mkdir "$dir/folder.cyc"
run 125 tour "$dir/folder.cyc"
says err 'folder.cyc'

# From any folder; the course is the program's own, or the named one.
tree=$PWD
cd "$dir" || exit 1
run 0 tour hello
says out 'Breakpoint 1, main (argc=1, argv=0x'
silent err
mkdir bin away
cp "$CYCLOPS" bin/alone
program=$CYCLOPS CYCLOPS=$dir/bin/alone
run 125 tour hello
says err 'there is no course: neither share/cyclops beside the program nor a source tree around it; expected cyclops tour FILE.cyc, or --course FOLDER'
run 125 lab 1
says err 'there is no course'
run 125 manual
says err 'there are no pages beside the program'
cp -r "$tree/demos/tours" away/
mkdir -p other/demos/labs other/demos/programs other/build/demos
cp -r away/tours other/demos/
cp -r "$tree/demos/labs/03-branches" other/demos/labs/
cp "$tree/demos/programs/list.txt" other/demos/programs/
cp "$tree/build/demos/hello" other/build/demos/
printf '# Other\n# program: hello\n\n# Words.\n\nprint 6 * 7\n' >other/demos/tours/other.cyc
for course in other "$dir/other" ../"${dir##*/}"/other; do
	run 0 tour --course "$course" --batch other
	says out 42
	check "the first line says which course it is" \
		[ "$(head -n 1 "$dir/err")" = "cyclops: the course is the one in $dir/other" ]
done
run 0 tour --course=other
says out '  other      Other'
run 0 lab --course other
says out '   3  Lab 3'
run 0 demo --course other hello
says out 'Hello, cycle!'
says err "cyclops: the course is the one in $dir/other"
run 0 demo --course=other --batch -e 'print 6 * 7' hello
says out 42
echo '# The other one' >other/README.md
run 0 manual --course other
says out 'The other one'
run 0 --batch --course other -e 'print 6 * 7' other/build/demos/hello
says out 42
run 0 complete tour --course other o
says out 'other	Other'
run 125 tour --course away hello
says err '--course away: it has no folder demos/tours'
run 125 lab --course nosuch 3
says err '--course nosuch: No such file or directory'
run 125 --course other
says err "--course alone opens the start page, which needs a terminal"
# A user's tour takes demos from the course, and its files from the current folder.
CYCLOPS=$program
mkdir -p build/demos demos/programs here
echo nothing >build/demos/hello
echo 'hello|broken|-' >demos/programs/list.txt
printf '# Mine\n# program: hello\n\n# Words.\n\ninfo program\n' >here/mine.cyc
run 0 tour here/mine.cyc
says out "$tree/build/demos/hello"
printf '# Mine\n# program: here/nosuch\n\n# Words.\n\ninfo program\n' >here/mine.cyc
run 125 tour here/mine.cyc
says err "the program of tour 'mine' is not there: here/nosuch"
cd "$tree" || exit 1
command=''
finish
