#!/bin/bash
# `set print`, `info types` and `info vtbl`: as gdb, for the same program at the same place.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export LC_ALL=C.UTF-8

riscv64-linux-gnu-g++ -std=gnu++17 -g -O0 -static -march=rv64gc -o "$dir/shown" tests/cvars/shown.cc
line=$(sed -n '\|// here|=' tests/cvars/shown.cc | head -n 1)

cat >"$dir/asks" <<'END'
p base
p *base
p base->b
p other
p *turned
p ref
p &ref
info locals
set print object on
p base
p *base
p other
p *other
p turned
p *turned
p second
p *second
p pair
p *pair
p ref
p &ref
p box
p &box
p none
p/x *base
p/x base
whatis base
ptype base
whatis *base
whatis ref
p base->side
p other->side
info locals
info vtbl other
set print object off
info vtbl base
info vtbl box
info vtbl *base
info vtbl other
info vtbl turned
info vtbl second
info vtbl *turned
set print address off
p base
p heap
p *heap
p &box
p names
p names[0]
p text
p &text
p hook
p *hook
p f
p &grid
p ref
p nothing
p &plains[1]
p box
output heap
output base
set print address on
set print symbol off
p &grid
p hook
p f
p &plains[1]
p names[0]
p box
p/a &grid
set print symbol on
set print array on
p grid
p plains
p names
p nums
p text
p words
p box
p/x grid
info locals
set print array-indexes on
p grid
p nums
p plains
p -elements 2 -- grid
set print array off
p grid
p nums
p plains
p names
p text
p words
p/x grid
p nums[0]@3
set print array-indexes off
set print null-stop on
p text
p words
set print null-stop off
set print static-members off
p box
p *base
set print static-members on
set print max-depth 0
p plains
p plains[0]
p box
p text
p nums[12]
set print max-depth 1
p plains
p grid
p words
set print max-depth -1
p plains
set print max-depth 20
set print union off
p plains
p plains[0]
p plains[0].u
set print union on
set print pretty on
p plains
p box
p *turned
p *pair
info locals
set print array on
p plains
p grid
set print array off
set print pretty off
p -array on -- grid
p -array -- plains
p -array-indexes -- grid
p -object -- *base
p -symbol off -- &grid
p -address off -- &grid
p -null-stop -- text
p -max-depth 1 -- plains
p -static-members off -- box
set print elements 4
p grid
p nums
p plains
p text
p words
set print elements 1
p plains
p grid
p words
set print elements 200
set print repeats 2
p nums
p grid
set print repeats 10
p data
p nothing_there
p inherited
p own
p constant
p run
p none_such
p turned_by
p back
p adjusted
p methods
p to_method
p *to_method
p named_method
p holder
ptype data
ptype run
whatis back
ptype methods
ptype Holder
ptype/o Holder
ptype named_method
whatis named_method
p sizeof(data)
p sizeof(run)
p/x data
p/x run
p/d data
p first.*data
p (&first)->*data
p both.*data + 1
p to_both->*data
p to_both->*inherited
p data == nothing_there
p run == none_such
p run != none_such
p first.run
p first.turn
p first.shared
p both.run
p both.back
p to_both->run
set var data = nothing_there
p data
info address First::run
END
# Equal output, except for the order of destructors' names and white space at line ends.
python3 - "$dir" "$line" <<'END'
import sys
folder, line = sys.argv[1:]
asks = open(folder + "/asks", encoding="utf-8").read().splitlines()
both = [text for i, ask in enumerate(asks) for text in (f"echo \\n?{i} {ask}\\n", ask)]
for name, begin in (("theirs", ["set width 0", f"break shown.cc:{line}"]),
        ("ours", [f"break shown.cc:{line}"])):
    with open(f"{folder}/{name}.x", "w", encoding="utf-8") as out:
        out.write("\n".join(begin + ["continue"] + both) + "\n")
END
gdb-multiarch -nx -batch -ex "target remote | $CYCLOPS gdb -o pipe.commit_width=1 - $dir/shown" \
	-x "$dir/theirs.x" "$dir/shown" >"$dir/theirs" 2>"$dir/gdb.err" </dev/null
run 0 --no-init --batch -o pipe.commit_width=1 -x "$dir/ours.x" "$dir/shown"
number=0
while read -r ask; do
	command=$ask
	one() {
		awk -v "n=?$number" '/^\?[0-9]+ / { on = $1 == n; next } on' "$1" |
			sed 's/ *$//; /^$/d; s/0x[0-9a-f]* <\(operator\)/\1/'
	}
	there=$(one "$dir/theirs") here=$(one "$dir/out")
	check "gdb has '$there', not '$here'" [ "$there" = "$here" ]
	case $ask in set*) ;; *) check 'gdb says something' [ -n "$there" ] ;; esac
	number=$((number + 1))
done <"$dir/asks"

# Types: by file, with the line that declares each; patterns as gdb's, and ours.
run 0 --no-init --batch -e 'info types' "$dir/shown"
for pattern in Base '^unsigned long$' '^my' In$ 'air<' olour Either '^Plain$' 'geo::.*n$' int; do
	gdb-multiarch -nx -batch -ex 'set width 0' -ex "info types $pattern" "$dir/shown" |
		sed -n '/^File .*shown.cc:/,/^$/ { /^File\|^$/d; p }' >"$dir/theirs"
	run 0 --no-init --batch -e "info types $pattern" "$dir/shown"
	says out "All types matching \"$pattern\":"
	while IFS= read -r type; do
		says out "$type"
	done <"$dir/theirs"
	check 'gdb has one' [ -s "$dir/theirs" ]
	check 'each once' [ -z "$(grep -v '^$' "$dir/out" | sort | uniq -d)" ]
done
run 0 --no-init --json -e 'info types ^my_size$' "$dir/shown"
says out '"declared": "typedef unsigned long my_size;"'
says out '"line": 37'
run 0 --no-init --batch -e 'info types nothing_like_it' "$dir/shown"
check 'none' [ "$(wc -l <"$dir/out")" = 1 ]
cat >"$dir/plain.c" <<'END'
typedef struct item { int i; } item;
typedef struct item other;
enum kind { A } kind;
union both { int i; float f; } both;
item it;
other ot;
int main(void) { return it.i + ot.i; }
END
riscv64-linux-gnu-gcc -g -O0 -static -o "$dir/plain" "$dir/plain.c"
run 0 --no-init --batch -e 'info types' "$dir/plain"
for type in '1:	struct item;' '2:	typedef struct item other;' '3:	enum kind;' \
	'4:	union both;' '	int'; do
	says out "$type"
done
check 'not the typedef of the same name' [ "$(grep -c item "$dir/out")" = 2 ]
run 0 --no-init --json -e "tbreak shown.cc:$line" -e continue -e 'info vtbl box' "$dir/shown"
says out '"class": "Other"'
says out '"functions": ["Other::other()"]'

# Unknown or wrong names, and objects without a table.
for wrong in 'set print nosuch on|it has elements, repeats, pretty, array, array-indexes, address,' \
	'set print|set print what? elements, repeats' \
	'set print max-depth x|a number, or unlimited' \
	'set print array maybe|is not understood' 'set print elements 99999999999|a number' \
	'info vtbl|no object given' 'info vtbl grid|does not have a virtual function table' \
	'print first.*run|pointer to a member that is data' 'print first.*nothing_there|is NULL' \
	'print grid.*data|an object in memory' 'print first.nosuch|it has' \
	'info vtbl plains[0]|does not have' 'info vtbl nosuch|nosuch' \
	'info vtbl *(Base *)1|memory'; do
	run 1 --no-init --batch -e "${wrong%%|*}" "$dir/shown"
	says err "${wrong#*|}"
done
run 0 --no-init --batch -e 'set print array' -e 'set print object' -e 'set print max-depth 3' \
	-e 'set print address off' -e 'show print' "$dir/shown"
for text in 'print array is on' 'print array-indexes is off' 'print object is on' \
	'print max-depth is 3' 'print address is off' 'print symbol is on'; do
	says out "$text"
done

# An object with an invalid table has its declared class.
run 0 --no-init --batch -e "tbreak shown.cc:$line" -e continue -e 'set print object on' \
	-e 'set var *(long *)base = 0' -e 'print base' -e 'set var *(long *)base = (long)&grid' \
	-e 'print base' -e 'set var *(long *)base = 16 + (long)&plains' -e 'print *base' \
	"$dir/shown"
check 'its class is Base' [ "$(grep -c '(Base \*) 0x' "$dir/out")" = 2 ]
says out '= {_vptr.Base = '

finish
