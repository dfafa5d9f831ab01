#!/bin/bash
# Programs of C++: their names in stops, calls, code and completion. Values are compared with gdb's
# by sessions/run.sh.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

riscv64-linux-gnu-g++ -g -O0 -static -march=rv64gc -o "$dir/shapes" tests/sessions/shapes.cc

# ---- names ----
run 0 --no-init --batch -e 'break geo::sum' -e 'break sum(int)' -e 'break Box::area' \
	-e 'break twice<double>' -e 'break operator+' -e 'tbreak *geo::sum(int)+4' \
	-e 'info breakpoints' "$dir/shapes"
for text in 'Breakpoint 1 at geo::sum(int)' 'Breakpoint 2 at geo::sum(int, int)' \
	'Breakpoint 3 at geo::sum(double, double)' 'Breakpoint 4 at geo::sum(geo::Point const&)' \
	'Breakpoint 5 at geo::sum(int)' 'Breakpoint 6 at geo::Box::area() const' \
	'Breakpoint 7 at geo::twice<double>(double)' \
	'Breakpoint 8 at geo::Point::operator+(geo::Point const&) const' \
	'Temporary breakpoint 9 at geo::sum(int)+0x4'; do
	says out "$text"
done
run 0 --no-init --batch -e 'break sum(int)' -e continue -e bt -e 'info symbol $pc' \
	-e 'disassemble' -e 'frame function geo::sum' -e 'break _ZN3geo3sumEdd' "$dir/shapes"
says out 'geo::sum+0xc (a=4) at shapes.cc:'
says out 'geo::sum(int)+0xc (shapes.cc:'
says out '<geo::sum(int)+0x4>'
says out 'Breakpoint 2 at geo::sum(double, double)'
# ---- lines with code in several functions; functions of a lambda ----
template=$(sed -n '/T r = v + v;/=' tests/sessions/shapes.cc)
lambda=$(sed -n '/const auto add =/=' tests/sessions/shapes.cc)
run 0 --no-init --batch -e "break shapes.cc:$template" -e continue -e 'print v' -e continue \
	-e 'print v' -e "break $lambda" -e continue -e continue -e 'info args' -e bt "$dir/shapes"
for text in 'Breakpoint 1 at geo::twice<int>(int)' 'Breakpoint 2 at geo::twice<double>(double)' \
	'$1 = 21' '$2 = 3.5' 'Breakpoint 3 at run()::{lambda(int)#1}::operator()' \
	'Breakpoint 4 at run()+' 'by = 5' 'operator()+0x10 (__closure='; do
	says out "$text"
done
# A block that begins at the end of its function's prologue is no second place.
cat >"$dir/block.cc" <<'END'
int main()
{
	int a = 2;
	auto add = [a](int x) { int y = a * x; return y + 1; };
	return add(3);
}
END
riscv64-linux-gnu-g++ -g -O0 -static -o "$dir/block" "$dir/block.cc"
run 0 --no-init --batch -e 'break block.cc:4' -e continue -e continue -e 'info args' "$dir/block"
check 'two places' [ "$(grep -c '^Breakpoint [0-9]* at' "$dir/out")" = 2 ]
check 'each stops once' [ "$(grep -c '^Breakpoint [0-9]*, ' "$dir/out")" = 2 ]
says out '__closure = 0x'
run 0 --no-init --batch -e "break shapes.cc:$template" -e "advance shapes.cc:$template" \
	-e 'print v' -e "until $template" -e 'print $v' "$dir/shapes"
says out '$1 = 21'
run 1 --no-init --batch -e 'break geo::none' "$dir/shapes"
says err "no symbol"

# ---- values ----
run 0 --no-init --batch -e 'break Box::area' -e continue -e 'print *this' \
	-e 'print from.x + colour' -e 'print made' -e 'print this->label' -e 'ptype this' \
	-e 'finish' \
	-e 'print r' -e 'print &s' -e 'print geo::Colour::blue' -e 'print geo::Shape::most' \
	-e 'whatis s' -e 'ptype geo::Colour' -e 'print hidden' "$dir/shapes"
for text in '= {<geo::Shape> = {_vptr.Shape = ' \
	'static made = 2, static most = 40, colour = geo::Colour::green' \
	'<geo::Named> = {label = ' '= 6' 'made = 2' \
	'type = const class geo::Box : public geo::Shape, public geo::Named {' \
	'    virtual int area(void) const;' '= (geo::Shape *) 0x' \
	'= geo::Colour::blue' '= 40' 'type = geo::Shape &' \
	'type = enum class geo::Colour : unsigned char {geo::Colour::red, geo::Colour::green = 5' \
	'= 7'; do
	says out "$text"
done
run 1 --no-init --batch -e 'break Box::area' -e continue -e 'print geo::none' "$dir/shapes"
says err "geo"
run 0 --no-init --batch -e 'break geo::swap' -e continue -e 'print a = 77' -e 'print a + 1' \
	-e 'up' -e 'print a.x' -e 'delete 1' -e 'break geo::sum(int) if a == 4' -e continue \
	"$dir/shapes"
for text in '= 78' '= 77' 'Breakpoint 2, geo::sum+'; do
	says out "$text"
done

# ---- containers, shown by their elements; more in sessions/run.sh ----
riscv64-linux-gnu-g++ -std=gnu++17 -g -O0 -static -march=rv64gc -o "$dir/boxes" \
	tests/sessions/boxes.cc
full=$(grep -n 'second = shared' tests/sessions/boxes.cc | cut -d: -f1)
run 0 --no-init --batch -e "break boxes.cc:$full" -e continue -e 'print names' -e 'print shelf' \
	-e 'print -elements 2 -- numbers' -e 'print tuple' -e 'print nothing' -e 'print truths' \
	-e 'print hashed' -e 'print list' -e 'print perhaps' -e 'print never' -e 'print shared' \
	-e 'print deque' -e 'print longer' -e 'print words' -e 'set print elements 3' \
	-e 'print set' "$dir/boxes"
for text in '= std::map with 4 elements = {[0] = "name 0", [1] = "name 1", [2] = "name 2", [3] = "name 3"}' \
	'items = std::vector of length 4, capacity 4 = {{name = "name 0", price = 0}, ' \
	'stock = std::map with 4 elements = {["name 0"] = 0, ' \
	'best = std::unique_ptr<Item> = {get() = 0x' \
	'= std::vector of length 4, capacity 4 = {0, 1...}' \
	"std::tuple containing = {[1] = 1, [2] = 120 'x', [3] = 2.5}" '= empty std::tuple' \
	'= std::vector<bool> of length 4, capacity 64 = {false, true, false, true}' \
	'= std::unordered_map with 4 elements = {[3] = 4, ' \
	'= std::__cxx11::list = {[0] = 3, [1] = 2, [2] = 1, [3] = 0}' \
	'= std::optional<int> = {[contained value] = 7}' \
	'= std::optional<int> [no contained value]' \
	'= std::shared_ptr<Item> (use count 1, weak count 0) = {get() = 0x' \
	'= std::deque with 4 elements = {0, 1, 2, 3}' '= "a text that has no room' \
	'= std::vector of length 4, capacity 4 = {"name 0", ' \
	'= std::set with 4 elements = {[0] = 7, [1] = 8, [2] = 9...}'; do
	says out "$text"
done
# Arbitrary memory: false lengths, and nodes that lead back to themselves.
run 0 --no-init --batch -e "break boxes.cc:$full" -e continue -e 'set print elements 0' \
	-e 'print list._M_impl._M_node._M_next->_M_next = list._M_impl._M_node._M_next' \
	-e 'print list' \
	-e 'print hashed._M_h._M_before_begin._M_nxt->_M_nxt = hashed._M_h._M_before_begin._M_nxt' \
	-e 'set variable hashed._M_h._M_element_count = -1' -e 'print hashed' \
	-e 'set variable names._M_t._M_impl._M_node_count = -1' -e 'print names' -e 'set variable names._M_t._M_impl._M_header._M_left = names._M_t._M_impl._M_header._M_parent' \
	-e 'set variable names._M_t._M_impl._M_header._M_parent->_M_right = names._M_t._M_impl._M_header._M_parent' -e 'print names' \
	-e 'set variable set._M_t._M_impl._M_header._M_parent->_M_right->_M_left = set._M_t._M_impl._M_header._M_parent->_M_right' \
	-e 'print set' -e 'set variable longer._M_string_length = -1' -e 'print longer' \
	-e 'set variable numbers._M_impl._M_finish = (int *)3' -e 'print numbers' \
	-e 'set variable deque._M_impl._M_finish._M_node = deque._M_impl._M_start._M_node + 1000000' -e 'print deque' "$dir/boxes"
says out '= {<std::_Vector_base<int'
says out '= std::map with 18446744073709551615 elements = {'
says out '= std::set with 4 elements = {[0] = 7, [1] = 8, [2] = 9, [3] = 10}'

# ---- virtual bases: one of each in an object, at its table's offset, as pointers to it ----
cat >"$dir/virtual.cc" <<'END'
struct V { int v = 1; virtual ~V() {} };
struct A : virtual V { int a = 2; };
struct B : virtual V { int b = 3; };
struct D : A, B { int d = 4; };
struct E : virtual V { A part; };
int main(int, char **)
{
	E e;
	D d, two[2];
	return d.v + two[1].v - 2 + e.v - e.part.v;
}
END
riscv64-linux-gnu-g++ -g -O0 -static -march=rv64gc -o "$dir/virtual" "$dir/virtual.cc"
run 0 --no-init --batch -e 'break 11' -e continue -e 'print d' -e 'print d.v + 10' \
	-e 'print *(B *)&d' -e 'print ((B *)&d)->v' -e 'print *(D *)(B *)&d' -e 'print two' \
	-e 'print e' -e 'print d.V::v' -e 'print main' "$dir/virtual"
one='{<A> = {<V> = {_vptr.V = 0x[0-9a-f]* <vtable for D+104>, v = 1}, _vptr.A = 0x[0-9a-f]* <vtable for D+24>, a = 2}, <B> = {_vptr.B = 0x[0-9a-f]* <vtable for D+64>, b = 3}, d = 4}'
check 'a virtual base is printed once' grep -qx "\\\$1 = $one" "$dir/out"
says out '$2 = 11'
check 'a base has the virtual one, too' grep -qx \
	'\$3 = {<V> = {_vptr.V = .*, v = 1}, _vptr.B = 0x[0-9a-f]* <vtable for D+64>, b = 3}' \
	"$dir/out"
says out '$4 = 1'
check 'and back' grep -qx "\\\$5 = $one" "$dir/out"
check 'each object has its own' grep -qx "\\\$6 = {$one, $one}" "$dir/out"
check 'so has one in another' grep -qx \
	'\$7 = {<V> = {.*, v = 1}, _vptr.E = .*, part = {<V> = {.*, v = 1}, _vptr.A = .*, a = 2}}' \
	"$dir/out"
says out '$8 = 1'
says out '$9 = {int (int, char **)} 0x'
says out ' <main(int, char**)>'

# ---- exceptions ----
cat >"$dir/ex.cc" <<'END'
#include <stdexcept>
static int risky(int n)
{
	if (n > 1)
		throw std::runtime_error("too many");
	return n;
}
int main()
{
	int r = 0;
	for (int i = 0; i < 4; i++) {
		try {
			r += risky(i);
		} catch (const std::exception &e) {
			r += 100;
		}
	}
	return r == 201;
}
END
riscv64-linux-gnu-g++ -g -O0 -static -march=rv64gc -o "$dir/ex" "$dir/ex.cc"
run 0 --no-init --batch -e 'catch throw' -e 'catch catch' -e continue -e 'frame function risky' \
	-e 'print n' -e continue -e 'delete 2' -e continue -e reverse-continue \
	-e 'info breakpoints' "$dir/ex"
for text in 'Catchpoint 1 (exception thrown)' 'Catchpoint 1, __cxa_throw' '= 2' \
	'Catchpoint 2, __cxa_begin_catch' 'before the newest' 'hit 2 times'; do
	says out "$text"
done
run 0 --no-init --batch -e 'tbreak risky if n == 1' -e continue -e finish -e 'tbreak risky' \
	-e continue -e finish -e 'print $' -e 'info locals nothing' -e 'set variable r = -5' \
	-e 'watch r' -e continue "$dir/ex"
says out "No locals with 'nothing' in their name"
says out ', r: -5 (0xfffffffb) -> 95 (0x5f)'
says out 'Returned from risky(int), a0 = 1'
says out 'risky(int) was left without returning: _Unwind_RaiseException jumped to main+0x'
says out '$2 = 1'
riscv64-linux-gnu-gcc -O0 -static -o "$dir/none" -x c - <<<'int main(void) { return 0; }'
run 1 --no-init --batch -e 'catch throw' "$dir/none"
says err 'throws nothing'

# ---- inlined functions: `next` passes over them, and shows their call's line where they begin ----
cat >"$dir/inlined.c" <<'END'
volatile int sink;
static inline __attribute__((always_inline)) int inner(int a)
{
	int r = sink + a;
	sink = r;
	return r;
}
int main(void)
{
	sink = 1;
	int x = inner(2);
	sink = x;
	return sink == 4;
}
END
riscv64-linux-gnu-gcc -g -O1 -static -march=rv64gc -o "$dir/inlined" "$dir/inlined.c"
run 0 --no-init --batch -e 'break inlined.c:10' -e continue -e next \
	-e frame -e next -e frame "$dir/inlined"
check 'next goes from line to line of main' \
	[ "$(grep -oE 'at inlined.c:[0-9]+$' "$dir/out" | sort -u | tr '\n' ' ')" \
	= 'at inlined.c:11 at inlined.c:12 ' ]
run 0 --no-init --batch -e 'break inlined.c:10' -e continue -e next -e frame -e 'info line' \
	-e 'view source' -e list "$dir/inlined"
for text in '(inlined.c:11), ' '/inlined.c:11: 0x' '/inlined.c:11  main' '▶     11  ' '=>11'; do
	says out "$text"
done

# They have frames, with variables of their own; `finish` leads out of one, and each copy has a
# breakpoint.
riscv64-linux-gnu-gcc -g -O0 -static -march=rv64gc -o "$dir/inlined" tests/cvars/inlined.c
run 0 --no-init --batch -e 'break square' -e continue -e backtrace \
	-e 'info args' -e 'info locals' -e 'print total' \
	-e up -e 'info locals' -e 'print a + b' -e 'frame function run' -e 'info locals' \
	-e 'print i' -e 'view backtrace' "$dir/inlined"
check 'three copies, three breakpoints' [ "$(grep -c '^Breakpoint [123] at ' "$dir/out")" = 3 ]
says out 'Breakpoint 1, square (v=0) at inlined.c:8, cycle'
for frame in '#0 .* square \(v=0\) at inlined.c:8' '#1 .* both \(.*a=0.*\) at inlined.c:15' \
	'#2 .* run\+0x[0-9a-f]* \(n=5\) at inlined.c:24' \
	'\$[0-9]+ = 1' '▶ *#0 .*square, inlined .*inlined.c:8 .*' \
	'#1 .*both, inlined .*inlined.c:15 .*'; do
	check "a line is '$frame'" grep -qxE " *$frame" "$dir/out"
done
check 'v is the argument of the inlined function' [ "$(grep -c '^v = 0$' "$dir/out")" = 1 ]
check 'each frame has locals of its own' \
	[ "$(grep -oE '^(twice|one|two|i|sum) = ' "$dir/out" | tr -d '\n')" \
	= 'twice = one = two = i = sum = ' ]
run 0 --no-init --batch -e 'tbreak run' -e continue -e 'advance both' \
	-e backtrace -e finish -e frame -e 'goto 0' -e 'tbreak 16' -e continue -e 'delete' \
	-e reverse-finish -e frame "$dir/inlined"
for frame in '#0 .* both \(.*a=0.*\) at inlined.c:15' \
	'#0 .* run\+0x[0-9a-f]* \(n=5\) at inlined.c:24'; do
	check "a line is '$frame'" grep -qxE " *$frame" "$dir/out"
done
says out 'Out of both, which is inlined here'
run 0 --no-init --batch -e 'tbreak run' -e continue -e 'advance both' -e 'print $pc' \
	-e reverse-finish -e backtrace -e 'print $pc' "$dir/inlined"
check 'its call is at the same place' [ "$(grep -o '0x.* <run+[0-9]*>' "$dir/out" | uniq | wc -l)" = 1 ]
check 'in the frame around it' grep -qxE ' *#0 .* run\+0x[0-9a-f]* \(n=5\) at inlined.c:24' "$dir/out"
# Members by their base, casts by name, functions with C linkage.
expressions=('box.geo::Named::label' 'box.geo::Shape::factor + 1' 'all[0]->geo::Shape::factor'
	'static_cast<geo::Box *>(all[0])->to' 'reinterpret_cast<long>(&box) == (long)&box'
	'(int)static_cast<char>(321)' 'const_cast<geo::Box *>(&box)->geo::Shape::name'
	'&main' 'main' '::run' 'box' 'pile')
ours=() theirs=()
for expression in "${expressions[@]}"; do
	ours+=(-e "output $expression" -e 'echo \n')
	theirs+=(-ex "output $expression" -ex 'echo \n')
done
gdb-multiarch -nx -batch -ex 'set width 0' -ex "target remote | $CYCLOPS gdb - $dir/shapes" \
	-ex "tbreak $lambda" -ex continue "${theirs[@]}" "$dir/shapes" 2>&1 </dev/null |
	sed '1,/^[0-9]*\t/d' >"$dir/gdb"
run 0 --no-init --batch -e "tbreak shapes.cc:$lambda" -e continue "${ours[@]}" "$dir/shapes"
sed -i '/^\(Temporary\|  [+]\)/d' "$dir/out"
sed -i 's/^[[:space:]]*$//' "$dir/out"
check "as gdb has them, $(wc -l <"$dir/gdb") lines: $(diff "$dir/gdb" "$dir/out" | head -n 8)" cmp -s "$dir/gdb" "$dir/out"
run 1 --no-init --batch -e "tbreak $lambda" -e continue -e 'print box.Disc::radius' "$dir/shapes"
says err "has no base 'Disc'"
run 0 --no-init --batch -e "tbreak boxes.cc:93" -e continue -e 'print/r words' \
	-e 'set print raw-values on' -e 'print words' -e 'print -raw-values off -- words' \
	-e 'print/r alias' "$dir/boxes"
says out '= (std::string &) @0x'
check 'containers as they are' [ "$(grep -c '_M_impl = {' "$dir/out")" = 2 ]
# Back over inlined functions, the stop is gdb's.
riscv64-linux-gnu-gcc -g -O1 -static -march=rv64gc -o "$dir/inlined-O1" tests/cvars/inlined.c
moves='next next next next next reverse-next reverse-next reverse-next next reverse-next'
for program in inlined inlined-O1; do
	ours=() theirs=()
	for move in $moves; do
		ours+=(-e "$move" -e frame)
		theirs+=(-ex "$move" -ex 'info line *$pc')
	done
	gdb-multiarch -nx -batch -ex "target remote | $CYCLOPS gdb - $dir/$program" \
		-ex 'tbreak run' -ex continue "${theirs[@]}" "$dir/$program" \
		>"$dir/gdb" 2>&1
	run 0 --no-init --batch -e 'tbreak run' -e continue "${ours[@]}" \
		"$dir/$program"
	there=$(sed -nE 's/^Line ([0-9]+) .* (starts at address|is at address) (0x[0-9a-f]+).*/\3/p' \
		"$dir/gdb" | tr '\n' ' ')
	here=$(sed -nE 's/^  #0 +(0x[0-9a-f]+) run.*/\1/p' "$dir/out" | tr '\n' ' ')
	check "$program: gdb is at $there, not $here" [ -n "$there" -a "$there" = "$here" ]
done
# Back over a call of the function itself, instruction by instruction, in the same frame.
riscv64-linux-gnu-gcc -std=gnu17 -g -O0 -static -march=rv64gc -o "$dir/list" tests/sessions/list.c
run 0 --no-init --batch \
	-e "tbreak list.c:$(sed -n '/1 + depth_of/=' tests/sessions/list.c)" -e continue -e next \
	-e 'reverse-nexti 3' -e reverse-nexti "$dir/list"
check 'over all of the call' grep -qE '^  -[0-9]+ cycles, -[0-9]{2,} instructions' "$dir/out"
check 'never where it was called' [ "$(grep -c 'called from' "$dir/out")" = 0 ]
# Over a call in which a signal comes, and its handler.
cat >"$dir/handled.c" <<'END'
#include <signal.h>
static volatile int came;
static void on_signal(int s)
{
	came += s;
}
int main(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return came != SIGUSR1;
}
END
riscv64-linux-gnu-gcc -g -O0 -static -march=rv64gc -o "$dir/handled" "$dir/handled.c"
run 0 --no-init --batch -e 'tbreak handled.c:10' -e continue -e next -e 'print came' "$dir/handled"
says out 'handled.c:11'
says out '$1 = 10'
# Out of an inlined function in the middle of a line, the next that is a stop ends it.
riscv64-linux-gnu-g++ -std=gnu++17 -g -O1 -static -march=rv64gc -o "$dir/boxes-O1" \
	tests/sessions/boxes.cc
line=$(sed -n '/numbers.push_back(i), deque/=' tests/sessions/boxes.cc)
theirs=$(gdb-multiarch -nx -batch \
	-ex "target remote | $CYCLOPS gdb - $dir/boxes-O1" \
	-ex "tbreak boxes.cc:$((line - 3))" -ex continue -ex next -ex 'next 2' -ex nexti \
	-ex next -ex next -ex 'output/x $pc' "$dir/boxes-O1" 2>/dev/null </dev/null | tail -n 1)
run 0 --no-init --batch -e "tbreak boxes.cc:$((line - 3))" -e continue \
	-e next -e 'next 2' -e nexti -e next -e next -e 'output/x $pc' "$dir/boxes-O1"
check "gdb is at $theirs" [ "$(tail -n 1 "$dir/out")" = "$theirs" -a -n "$theirs" ]
# until passes over all code before the line's end, wherever the line's code lies.
riscv64-linux-gnu-g++ -std=gnu++17 -g -O1 -fno-inline -static -march=rv64gc -o "$dir/boxes-calls" \
	tests/sessions/boxes.cc
line=$(sed -n '/numbers.push_back(i \* i);/=' tests/sessions/boxes.cc)
theirs=$(gdb-multiarch -nx -batch \
	-ex "target remote | $CYCLOPS gdb - $dir/boxes-calls" \
	-ex "tbreak boxes.cc:$line" -ex continue -ex until -ex 'output/x $pc' \
	"$dir/boxes-calls" 2>/dev/null </dev/null | tail -n 1)
run 0 --no-init --batch -e "tbreak boxes.cc:$line" -e continue -e until \
	-e 'output/x $pc' "$dir/boxes-calls"
check "gdb is at $theirs" [ "$(tail -n 1 "$dir/out")" = "$theirs" -a -n "$theirs" ]
# After the middle of another line, a jump back ends it, as in gdb: line 5 is after the end.
printf '%s\n' 'int main(void)' '{' 'volatile int a = 1;' 'a += 2;' 'a += 3;' 'return a - 6;' '}' \
	>"$dir/turn.c"
riscv64-linux-gnu-gcc -g -O0 -S -march=rv64gc -o "$dir/turn.s" "$dir/turn.c"
sed -i -e 's/^\t\.loc 1 4 .*/\tj .Lfar\n.Lback:\n&/' \
	-e '/^\t\.loc 1 5 /,/^\t\.loc 1 6 /{/loc 1 6/!d}' \
	-e 's/^\t\.cfi_endproc$/.Lfar:\n\t.loc 1 5 1\n\tnop\n\t.loc 1 6 1 is_stmt 0\n\tnop\n\tj .Lback\n&/' \
	"$dir/turn.s"
riscv64-linux-gnu-gcc -static -o "$dir/turn" "$dir/turn.s"
run 0 --no-init --batch -e 'tbreak turn.c:5' -e continue -e until "$dir/turn"
says out '(turn.c:4)'
# A step after a return ends at the rest of the call's line, as gdb's; until stays in its call of a
# function; steps by instructions stop at breakpoints within a cycle.
cat >"$dir/deep.c" <<'END'
#include <stdio.h>
static long total;
__attribute__((noinline)) static long fact(int n)
{
	if (n <= 1)
		return 1;
	long sub = fact(n - 1);
	total += sub;
	return n * sub;
}
int main(int argc, char **argv)
{
	long a = fact(argc + 4);
	return printf("%ld %ld\n", a, total) < 3;
}
END
riscv64-linux-gnu-gcc -g -O2 -static -march=rv64gc -o "$dir/deep-O2" "$dir/deep.c"
ours=() theirs=()
for _ in 1 2 3 4 5 6 7 8; do
	ours+=(-e next -e 'output/x $pc' -e 'echo \n')
	theirs+=(-ex next -ex 'output/x $pc' -ex 'echo \n')
done
there=$(gdb-multiarch -nx -batch -ex "target remote | $CYCLOPS gdb - $dir/deep-O2" \
	-ex 'tbreak fact if n == 2' -ex continue "${theirs[@]}" "$dir/deep-O2" 2>/dev/null \
	</dev/null | grep '^0x[0-9a-f]*$' | tr '\n' ' ')
run 0 --no-init --batch -e 'tbreak fact if n == 2' -e continue "${ours[@]}" \
	"$dir/deep-O2"
here=$(grep '^0x[0-9a-f]*$' "$dir/out" | tr '\n' ' ')
check "gdb is at $there, not $here" [ -n "$there" -a "$there" = "$here" ]
# Back from a function's beginning: to the line of the call, or to the call.
run 0 --no-init --batch -e 'tbreak fact' -e continue -e reverse-next "$dir/deep-O2"
says out '	long a = fact(argc + 4);'
run 0 --no-init --batch -e 'tbreak main' -e continue -e reverse-next -e 'x/i $pc' "$dir/deep-O2"
says out '<__libc_start_call_main+'
run 0 --no-init --batch -e 'tbreak on_signal' -e continue -e reverse-next -e 'x/i $pc' \
	-e 'reverse-next 2' -e 'x/i $pc' "$dir/handled"
check 'the interrupted instruction' grep -q '^=> .*ecall' "$dir/out"
check 'then the calls of functions without lines' grep -q '^=> .*<raise.*jal' "$dir/out"
riscv64-linux-gnu-gcc -g -O0 -static -march=rv64gc -o "$dir/deep" "$dir/deep.c"
run 0 --no-init --batch -e 'tbreak fact' -e continue -e 'until 9' -e 'print n' \
	-e 'reverse-until 5' -e 'advance 9' -e 'print n' "$dir/deep"
says out '$1 = 5'
says out '$2 = 2'
run 0 --no-init --batch -e 'break deep.c:7' -e continue -e 'stepi 20' -e 'break *$pc+4' \
	-e 'stepi 3' -e 'reverse-stepi 20' -e 'delete 2' -e 'reverse-stepi 30' -e 'stepi 30' \
	-e 'set var n = 3' -e stepi -e reverse-stepi -e 'output $pc' -e 'echo \n' \
	-e reverse-stepi -e 'output $pc' -e 'echo \n' "$dir/deep"
check 'each stop in turn' [ "$(sed -nE 's/^Breakpoint ([12]), .*\(n=([0-9]*)\).*/\1:\2/p' \
	"$dir/out" | tr '\n' ' ')" = '1:5 1:4 2:4 1:4 1:5 1:4 1:3 ' ]
check 'two places' [ "$(grep '^[0-9]*$' "$dir/out" | sort -u | wc -l)" = 2 ]
run 1 --no-init --batch -e 'print one' "$dir/inlined"
run 1 --no-init --batch -e 'tbreak square' -e continue -e 'print sum' "$dir/inlined"
says err 'print sum: '

# ---- places as blocks in DWARF 4, as Go writes them ----
riscv64-linux-gnu-gcc -gdwarf-4 -O0 -S -march=rv64gc -o "$dir/blocks.s" "$dir/deep.c"
sed -i -E '/^\t\.byte\t0x(2|40)$/{n;s/0x18$/0xa/}' "$dir/blocks.s"
riscv64-linux-gnu-gcc -static -o "$dir/blocks" "$dir/blocks.s"
check "there are blocks" [ "$(riscv64-linux-gnu-readelf --debug-dump=abbrev "$dir/blocks" |
	grep -c 'DW_AT_location *DW_FORM_block1')" -gt 1 ]
run 0 --no-init --batch -e 'break 8' -e continue -e 'print sub' -e 'print n' "$dir/blocks"
says out '$1 = 1'
says out '$2 = 2'

# ---- damaged debug information: any output, but no crash and no hang ----
asks='lua for _, c in ipairs{"info locals", "print *this", "ptype *this", "print from", "print geo::count", "ptype geo::Shape", "print geo::Colour::green", "backtrace", "next", "up", "print box", "print *all[0]", "ptype pile", "print r + 1"} do print(pcall(m.cmd, m, c)) end'
area=0x$(riscv64-linux-gnu-nm "$dir/shapes" | sed -n 's/ . _ZNK3geo3Box4areaEv$//p')
answered=0 worst=
for seed in 1 2 3 4 5 6 7 8; do
	section=$(python3 tests/cvars/damaged.py "$dir/shapes" "$seed" "$dir/damaged")
	timeout 60 "$CYCLOPS" --no-init --batch -e "break *$area" -e continue -e 'stepi 15' \
		-e "$asks" "$dir/damaged" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	case $status in
	0 | 1 | 125) ;;
	*) worst="$worst seed $seed ($section): status $status;" ;;
	esac
	grep -aq 'true.*= ' "$dir/out" && answered=$((answered + 1))
done
command="damaged debug information of C++"
check "nothing dies:$worst" [ -z "$worst" ]
check "some of it is still understood: $answered" [ "$answered" -ge 4 ]

finish
