#!/bin/bash
# Makes the bake-off's page: all profilers, all programs. Arguments as for run.lua; or
#
#   run.sh --emit parallel|slurm FOLDER ARGS...   writes jobs for other hosts, one for each program,
#                                                 that share this directory: run FOLDER/run.sh, or
#                                                 sbatch FOLDER/bakeoff.sbatch; then run.sh
#                                                 --any-build ARGS... makes the page
# shellcheck disable=SC2034,SC2016
names=(gzip bzip2 lua sqlite3 tcc compress chess lisp json anagram regex sort hash fft nbody cg \
	mawk gnuchess cjpeg djpeg lp_solve fftw)
if [ "${1:-}" = --emit ]; then
	kind=${2:-} folder=${3:-}
	case $kind in
	parallel | slurm) ;;
	*)
		echo "--emit $kind: expected --emit parallel|slurm FOLDER" >&2
		exit 2
		;;
	esac
	[ -n "$folder" ] || { echo "--emit $kind: which folder?" >&2 && exit 2; }
	shift 3
	mkdir -p "$folder" || exit
	folder=$(cd "$folder" && pwd) || exit
	cd "$(dirname "$0")/../../.." || exit
	for name in "${names[@]}"; do
		if [ -x "build/demos/$name" ] || [ -x "build/debian/$name" ]; then
			printf 'cd %q && %q lua demos/papers/bakeoff/run.lua' "$PWD" \
				"${CYCLOPS:-$PWD/build/cyclops}"
			printf ' %q' "$@" --programs "$name"
			echo
		fi
	done >"$folder/jobs"
	n=$(wc -l <"$folder/jobs")
	if [ "$kind" = parallel ]; then
		printf '#!/bin/bash\nexec parallel "$@" <%q\n' "$folder/jobs" >"$folder/run.sh" &&
			chmod +x "$folder/run.sh"
		echo "$folder/run.sh: $n jobs"
	else
		printf '#!/bin/bash\n#SBATCH --job-name=bakeoff --array=1-%d --output="%s/%%a.log"\nbash -c "$(sed -n "${SLURM_ARRAY_TASK_ID}p" %q)"\n' "$n" "$folder" \
			"$folder/jobs" >"$folder/bakeoff.sbatch"
		echo "$folder/bakeoff.sbatch: $n jobs"
	fi
	exit
fi
paper=bakeoff result=results.md title='The bake-off: eight profilers, one truth' \
	small_names=(lisp sort)
there=()
for name in "${names[@]}"; do
	top=$(dirname "$0")/../../..
	[ -x "$top/build/demos/$name" ] || [ -x "$top/build/debian/$name" ] && there+=("$name")
done
names=("${there[@]}")
real=() real_words=()
beside=() pages=(page)
. "$(dirname "$0")/../run.sh"
