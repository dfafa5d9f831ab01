#!/bin/bash
# Types and variables that lie elsewhere: a struct defined in another unit, types in units of their
# own, debug information in another file.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

cat >"$dir/user.c" <<'END'
struct secret;
struct secret *make(int depth);
int peek(struct secret *s);
struct open { int x; double y; } box = {3, 2.5};
int main(void)
{
	struct secret *s = make(4);
	return peek(s) + box.x;
}
END
cat >"$dir/owner.c" <<'END'
struct secret { int depth; struct { char name[4]; } in; };
static struct secret one = {1, {"abc"}};
struct secret *make(int depth)
{
	one.depth = depth;
	return &one;
}
int peek(struct secret *s)
{
	return s->depth;
}
END
stop=(-e 'break peek' -e continue -e up)

build() {
	local name=$1
	shift
	(cd "$dir" && riscv64-linux-gnu-gcc -static "$@" -o "$name" user.c owner.c)
}
build opaque -g
build types -g -fdebug-types-section
build types4 -gdwarf-4 -fdebug-types-section
build split -g -gsplit-dwarf
for name in opaque types types4; do
	run 0 --batch "${stop[@]}" -e 'print *s' -e 'print s->in.name[1]' -e 'ptype *s' \
		-e 'ptype s' -e 'print box' -e 'ptype struct secret' -e 'print sizeof(*s)' \
		-e 'watch -l s->depth' "$dir/$name"
	says out '$1 = {depth = 4, in = {name = "abc"}}'
	says out "\$2 = 98 'b'"
	says out 'type = struct secret {
    int depth;'
	says out '} *'
	says out '$3 = {x = 3, y = 2.5}'
	says out '$4 = 8'
	says out '4 bytes of memory at'
done
for what in 'info locals' 'print *s' 'print box.x'; do
	run 1 --batch "${stop[@]}" -e "$what" "$dir/split"
	says err "its variables are in .dwo files, which are not read"
done

mkdir "$dir/apart" "$dir/wrong"
riscv64-linux-gnu-objcopy --only-keep-debug "$dir/opaque" "$dir/apart/opaque.debug"
riscv64-linux-gnu-strip --remove-section=.note.gnu.build-id -o "$dir/linked" "$dir/opaque"
riscv64-linux-gnu-objcopy --add-gnu-debuglink="$dir/apart/opaque.debug" "$dir/linked"
run 0 --batch --source "$dir/apart" "${stop[@]}" -e 'print *s' "$dir/linked"
says out '$1 = {depth = 4, in = {name = "abc"}}'
# Another file of that name is none.
cp "$dir/types" "$dir/wrong/opaque.debug"
for folder in "$dir/wrong" "$dir"; do
	run 1 --batch --source "$folder" -e 'break peek' "$dir/linked"
	says err "its debug information is in opaque.debug: give that file's folder as --source"
	run 1 --batch --source "$folder" -e 'print *s' "$dir/linked"
	says err "called 's'; the program: its debug information is in opaque.debug: give that"
done

finish
