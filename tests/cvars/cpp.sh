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

# ---- values ----
run 0 --no-init --batch -e 'break Box::area' -e continue -e 'print *this' -e 'print from.x + colour' -e 'print made' -e 'print this->label' -e 'ptype this' -e 'finish' \
	-e 'print r' -e 'print &s' -e 'print geo::Colour::blue' -e 'print geo::Shape::most' -e 'whatis s' -e 'ptype geo::Colour' -e 'print hidden' "$dir/shapes"
for text in '*this = {<geo::Shape> = {_vptr.Shape = ' 'static made = 2, static most = 40, colour = geo::Colour::green' '<geo::Named> = {label = ' 'from.x + colour = 6' 'made = 2' \
	'type = const class geo::Box : public geo::Shape, public geo::Named {' '    virtual int area(void) const;' 's = (geo::Shape *) 0x' \
	'geo::Colour::blue = geo::Colour::blue' 'geo::Shape::most = 40' 'type = geo::Shape &' 'type = enum class geo::Colour : unsigned char {geo::Colour::red, geo::Colour::green = 5' 'hidden = 7'; do
	says out "$text"
done
run 1 --no-init --batch -e 'break Box::area' -e continue -e 'print geo::none' "$dir/shapes"
says err "geo"
run 0 --no-init --batch -e 'break geo::swap' -e continue -e 'print a = 77' -e 'print a + 1' -e 'up' -e 'print a.x' -e 'delete 1' -e 'break geo::sum(int) if a == 4' -e continue "$dir/shapes"
for text in 'a + 1 = 78' 'a.x = 77' 'Breakpoint 2, geo::sum+'; do
	says out "$text"
done

finish
