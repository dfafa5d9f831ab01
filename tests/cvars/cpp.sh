#!/bin/bash
# Programs of C++: their names in stops, calls, code and completion. Values are compared with gdb's by sessions/run.sh.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

riscv64-linux-gnu-g++ -g -O0 -static -march=rv64gc -o "$dir/shapes" tests/sessions/shapes.cc

# ---- names ----
run 0 --no-init --batch -e 'break geo::sum' -e 'break sum(int)' -e 'break Box::area' -e 'break twice<double>' -e 'break operator+' -e 'tbreak *geo::sum(int)+4' \
	-e 'info breakpoints' "$dir/shapes"
for text in 'Breakpoint 1 at geo::sum(int)' 'Breakpoint 2 at geo::sum(int, int)' 'Breakpoint 3 at geo::sum(double, double)' 'Breakpoint 4 at geo::sum(geo::Point const&)' \
	'Breakpoint 5 at geo::sum(int)' 'Breakpoint 6 at geo::Box::area() const' 'Breakpoint 7 at geo::twice<double>(double)' \
	'Breakpoint 8 at geo::Point::operator+(geo::Point const&) const' 'Temporary breakpoint 9 at geo::sum(int)+0x4'; do
	says out "$text"
done
run 0 --no-init --batch -e 'break sum(int)' -e continue -e bt -e 'info symbol $pc' -e 'disassemble' -e 'frame function geo::sum' -e 'break _ZN3geo3sumEdd' "$dir/shapes"
says out 'geo::sum+0x18 (a=4) at shapes.cc:'
says out 'geo::sum(int)+0x18 (shapes.cc:'
says out '<geo::sum(int)+0x4>'
says out 'Breakpoint 2 at geo::sum(double, double)'
run 1 --no-init --batch -e 'break geo::none' "$dir/shapes"
says err "no symbol"

finish
