#!/bin/bash
# Rust's standard library for riscv64, which Debian lacks, from Debian's sources of it; for
# corpus.sh. Needs Debian's packages rustc, rust-src, librust-libc-dev, librust-hashbrown-dev,
# librust-cfg-if-dev and librust-rustc-demangle-dev; a minute.
#
#     bash tests/edit/rust_std.sh FOLDER
set -e
folder=${1:?expected a folder}
library=$(ls -d /usr/src/rustc-*/library)
crates=/usr/share/cargo/registry
export RUSTC_BOOTSTRAP=1 STD_ENV_ARCH=riscv64
mkdir -p "$folder"

# crate NAME EDITION SOURCE [FEATURE,...] [CRATE...] [-- OPTION...]: the crate, of these others.
crate() {
	local name=$1 edition=$2 source=$3 features=() externs=() feature
	[ -f "$folder/lib$name.rlib" ] && return
	IFS=, read -ra features <<<"${4:-}"
	shift $(($# < 4 ? $# : 4))
	local options=()
	for feature in "${features[@]}"; do options+=(--cfg "feature=\"$feature\""); done
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		externs+=(--extern "${1%=*}=$folder/lib${1#*=}.rlib")
		shift
	done
	/usr/bin/rustc --target riscv64gc-unknown-linux-gnu -Copt-level=2 -Cembed-bitcode=no \
		-Zforce-unstable-if-unmarked --cap-lints allow --crate-type rlib -L "$folder" \
		--out-dir "$folder" --crate-name "$name" --edition "$edition" "${options[@]}" \
		"${externs[@]}" "${@:2}" "$source"
}
echo '#![feature(no_core, compiler_builtins)] #![compiler_builtins] #![no_core]' \
	>"$folder/compiler_builtins.rs"
space=core=rustc_std_workspace_core
crate compiler_builtins 2021 "$folder/compiler_builtins.rs"
crate core 2021 "$library/core/src/lib.rs"
crate alloc 2021 "$library/alloc/src/lib.rs"
crate rustc_std_workspace_core 2021 "$library/rustc-std-workspace-core/lib.rs" '' core
crate rustc_std_workspace_alloc 2021 "$library/rustc-std-workspace-alloc/lib.rs" '' alloc
crate cfg_if 2018 $crates/cfg-if-1.*/src/lib.rs rustc-dep-of-std $space compiler_builtins
# The results of libc's own build script.
known=()
for what in priv_mod_use union const_size_of align core_cvoid packedN cfg_target_vendor \
	non_exhaustive long_array ptr_addr_of underscore_const_names const_extern_fn; do
	known+=(--cfg "libc_$what")
done
crate libc 2015 $crates/libc-0.2.*/src/lib.rs rustc-dep-of-std,align,rustc-std-workspace-core \
	rustc_std_workspace_core -- "${known[@]}"
crate rustc_demangle 2015 $crates/rustc-demangle-0.1.*/src/lib.rs \
	rustc-dep-of-std,core,compiler_builtins $space compiler_builtins
crate hashbrown 2021 $crates/hashbrown-0.12.*/src/lib.rs \
	rustc-dep-of-std,nightly,rustc-internal-api,core,alloc \
	$space alloc=rustc_std_workspace_alloc compiler_builtins
crate std_detect 2021 "$library/stdarch/crates/std_detect/src/lib.rs" rustc-dep-of-std \
	libc cfg_if $space alloc=rustc_std_workspace_alloc
crate unwind 2021 "$library/unwind/src/lib.rs" '' libc cfg_if
crate panic_unwind 2021 "$library/panic_unwind/src/lib.rs" '' alloc unwind libc cfg_if
crate panic_abort 2021 "$library/panic_abort/src/lib.rs" '' alloc libc cfg_if -- -Cpanic=abort
crate std 2021 "$library/std/src/lib.rs" panic_unwind,panic-unwind,std_detect_file_io \
	alloc panic_unwind panic_abort core libc compiler_builtins unwind hashbrown std_detect \
	rustc_demangle cfg_if -- --cfg backtrace_in_libstd
