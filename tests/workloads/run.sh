#!/bin/bash
# Real programs from Debian's sources (make/debian.sh): the table has all that building and running
# them needs, a program that is unavailable or fails to build is reported and leaves no file that
# could be taken for it; and, at scale long, each of `make workloads` prints and returns here, and
# with blocks' counters put in, what it does under qemu-riscv64.
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/tests/workloads
within=build/tests/workloads # programs are built by paths of the tree, but don't contain them
. tests/lib.sh
table=demos/workloads/workloads.txt
skipped=0

# ---- the table ----
mapfile -t names < <(grep -o '^[a-z][a-z0-9_]*$' $table)
check "there are ten programs and more" [ ${#names[@]} -ge 10 ]
passes "each has a suite's program, a version, sources and something to do" python3 \
	tests/workloads/table.py $table
for name in "${names[@]}"; do
	check "the page doesn't say what $name is" grep -q "^| \`$name\`" demos/workloads/README.md
done

# ---- unavailable sources ----
# An apt-get without any source, and one with one file of one source.
mkdir "$dir/none" "$dir/some" "$dir/at"
printf '#!/bin/sh\nexit 1\n' >"$dir/none/apt-get"
cat >"$dir/some/apt-get" <<'END'
#!/bin/sh
case "$*" in *' source ncompress='[0-9]*) mkdir ncompress && echo "$SOURCE" >ncompress/compress42.c ;; *update) ;; *) exit 1 ;; esac
END
chmod +x "$dir"/*/apt-get
# make_one WANT WHERE SOURCE: builds one source, with the apt-get in WHERE
make_one() {
	local got=0
	command="make/debian.sh compress, apt-get of $2, source $3"
	CI='' SOURCE=$3 PATH=$dir/$2:$PATH make/debian.sh compress "$dir/at/compress" >"$dir/out" \
		2>"$dir/err" || got=$?
	check "exit status $got, expected $1" [ $got = "$1" ]
}
make_one 0 none ''
says err "skipped: compress: Debian's lists of source packages can't be fetched"
check "no program" [ ! -e "$dir/at/compress" ]
make_one 0 some 'int main(void) { return 7; }'
check "a program that the editor takes" "$CYCLOPS" instrument -q --kind bb -o "$dir/at/edited" \
	"$dir/at/compress"
run 7 run --functional "$dir/at/edited"
check "it doesn't say where the tree lies" eval '! grep -q "$PWD" "$dir/at/compress"'
check "but where in it its source does" grep -q "\./${dir#"$PWD/"}/at/compress.source" \
	"$dir/at/compress"
cp "$dir/at/compress" "$dir/at/first"
make_one 0 none ''
check "it is there, and not made again" same_bytes "$dir/at/compress" "$dir/at/first"
rm "$dir/at/compress.recipe"
make_one 1 some 'int main(void) {'
says err "compress: can't be compiled"
check "it leaves no older program" [ ! -e "$dir/at/compress" ]
check "the reason is kept" grep -q "can't be compiled" "$dir/at/compress.skipped"
command="make/debian.sh nothing"
check "an unknown program is reported" eval '! make/debian.sh nothing "$dir/at/nothing" 2>"$dir/err"'
says err "no such program: nothing; there are gzip bzip2"

# ---- all programs ----
# answer STDIN COMMAND...: prints a digest of the output, without the program's own name, and the
# status.
answer() {
	local status=0
	timeout 600 "${@:2}" <"$1" >"$dir/said" 2>"$dir/wrong" || status=$?
	sha256sum <"$dir/said"
	sed 's,[^ ]*/\([a-z0-9_]*:\),\1,g' "$dir/wrong"
	echo "status $status"
}
if [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
	top=$PWD
	run 0 lua demos/workloads/commands.lua --out "$dir/made"
	for name in "${names[@]}"; do
		read -r _ program from words < <(grep "^$name " "$dir/made/commands")
		if [ ! -x build/debian/$name ]; then
			echo "skipped: build/debian/$name is not there; make workloads builds it"
			skipped=$((skipped + 1))
			continue
		fi
		read -ra arguments <<<"$words"
		command="$name $words"
		check "instrumented" "$CYCLOPS" instrument -q --kind bb -o "$dir/edited" "$program"
		cd "$dir/made/files" || exit
		answer "$from" env -i "$(command -v qemu-riscv64)" "$top/$program" \
			"${arguments[@]}" >"$dir/right"
		check "it ends well" grep -q '^status 0$' "$dir/right"
		answer "$from" "$CYCLOPS" run --functional "$top/$program" "${arguments[@]}" \
			>"$dir/out"
		check "the same here" same_bytes "$dir/right" "$dir/out"
		answer "$from" "$CYCLOPS" run --functional "$dir/edited" "${arguments[@]}" \
			>"$dir/out"
		check "the same with counters" same_bytes "$dir/right" "$dir/out"
		cd "$top" || exit
	done
fi
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
