# Completion of hcp and its shims. hcp itself knows the words; this hands it the
# line as it was typed, and takes what to put in place of the last word.
__hcp_complete() {
	local hcp=@HCP@
	[[ -x $hcp ]] || hcp=hcp
	local line kind= word trimmed rest=${COMP_LINE:0:COMP_POINT} i n=0
	local -a typed
	# bash cuts words at = and : as well; what no space parts is one word.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		trimmed=${rest#"${rest%%[![:space:]]*}"}
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$trimmed
		if ((n > 0)) && [[ ${#trimmed} == "${#rest}" ]]; then
			typed[n - 1]+=$word
		else
			typed[n++]=$word
		fi
		rest=${trimmed#"$word"}
	done
	COMPREPLY=()
	if ((COMP_CWORD > 0)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} =~ ^[0-9]*[\<\>]+[\&\|]?$ ]]; then
		kind=files # of a redirection
	fi
	[[ -n $kind ]] || while IFS= read -r line; do
		if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
	done < <("$hcp" __complete --shell bash --shim "${1##*/}" --tail "$2" -- "${typed[@]:1}" 2>/dev/null)
	case $kind in
	open) compopt -o nospace 2>/dev/null ;;
	files | dirs)
		compopt -o filenames 2>/dev/null
		local act=-f
		[[ $kind == dirs ]] && act=-d
		while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen $act -- "$2")
		;;
	esac
}
complete -F __hcp_complete @NAMES@
