#!/bin/bash
# Addresses of a library's variables, of their copies in a fixed program, and of thread-local ones
# are those that the program prints; variables not made yet have none.
within=build/tests
. tests/lib.sh
cp build/tests/dynamic/{vars,varspie,libvars.so,libvars2.so} "$dir"
cp tests/dynamic/{vars,varlib}.c "$dir"
cd "$dir" || exit 1
qemu-riscv64 -L /usr/riscv64-linux-gnu ./vars >/dev/null
check "qemu runs it" [ $? = 0 ]
check "the fixed one has copies" \
	[ "$(riscv64-linux-gnu-readelf -rW vars | grep -c "R_RISCV_COPY.* \(counted\|named\) ")" \
	= 2 ]
check "the other has none" [ "$(riscv64-linux-gnu-readelf -rW varspie | grep -c R_RISCV_COPY)" = 0 ]
for program in vars varspie; do
	run 0 run $program
	cp out places
	ask=()
	while read -r name at; do
		ask+=(-e "echo &$name" -e "print &$name")
	done <places
	for name in counted mine quiet inner pairs named early; do
		ask+=(-e "echo $name" -e "print $name")
	done
	run 0 --batch -e 'break fflush' -e continue -e 'up' "${ask[@]}" $program
	sed -i -zE 's/\n\$[0-9]+ = / = /g' out
	while read -r name at; do
		check "&$name is $at" grep -qE "^&$name = .*[ )]$at( |\$)" out
	done <places
	says out 'counted = 10'
	says out 'mine = 12'
	says out 'quiet = 14'
	says out 'inner = 23'
	says out 'pairs = {a = 5, b = 29}'
	says out '"of the library"'
	says out 'early = 3'
	run 0 --batch -e 'break lib_count' -e continue -e 'print counted' -e 'goto 1000' \
		-e 'print mine' -e 'break later_work' -e continue -e continue \
		-e 'print inner' $program
	says out '$1 = 7'
	check "before threads are there, theirs are nowhere" grep -q '^\$2 = <not made yet>' out
	check "nor is what is not made yet" grep -q '^\$3 = <not made yet>' out
done
# Its libraries lie beside it, in another folder.
mkdir elsewhere
cp libvars2.so elsewhere
(cd elsewhere && "$CYCLOPS" run ../vars) >out 2>err
check "not below /: its library is not found" [ $? = 127 ]
(cd elsewhere && "$CYCLOPS" run --dir /there=.. ../vars) >out 2>err
check "in a folder of --dir: it is" [ $? = 0 ]
run 1 --batch -e 'print &mine' vars
says err "it is not made yet"
finish
