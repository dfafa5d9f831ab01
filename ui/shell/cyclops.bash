# Completion of cyclops for bash: `cyclops complete` lists the candidates.

_cyclops() {
	# Tab must not execute a program of the current folder: call the installed one.
	local program=${COMP_WORDS[0]}
	[[ $program == /* ]] || program=$(type -P "${program##*/}")
	[[ $program == /* ]] || return
	local -a words=() candidates=()
	local word i tab=$'\t'
	# bash splits words at '=' and ':'; join them as cyclops will get them.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $i -gt 1 && ($word == [=:]* || ${COMP_WORDS[i - 1]} == *[=:]) && ${#words[@]} -gt 0 ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
	done
	local typed=${words[${#words[@]} - 1]}
	# bash replaces only the part after the last of these characters.
	local cut=${typed%"${typed##*[=:]}"}
	COMPREPLY=()
	local line kind prefix glob
	while IFS= read -r line; do
		case $line in
		"$tab"*)
			read -r kind prefix glob <<<"${line#"$tab"}"
			[[ $prefix == - ]] && prefix=
			compopt -o filenames
			if [[ $kind == folders ]]; then
				mapfile -t candidates < <(compgen -d -- "${typed#"$prefix"}")
			else
				mapfile -t candidates < <(compgen -d -- "${typed#"$prefix"}"; compgen -f -X "!$glob" -- "${typed#"$prefix"}")
			fi
			for word in "${candidates[@]}"; do
				word=$prefix$word
				COMPREPLY+=("${word#"$cut"}")
			done
			;;
		*)
			word=${line%%"$tab"*}
			[[ $word == *[=,] ]] && compopt -o nospace
			[[ $word == *' '* ]] && compopt -o filenames # these are quoted
			COMPREPLY+=("${word#"$cut"}")
			;;
		esac
	done < <("$program" complete "${words[@]}" 2>/dev/null)
}

complete -F _cyclops cyclops
