#compdef @NAMES@
# Completion of hcp and its shims. hcp itself knows the words. The line above is
# for zsh, which reads a file _hcp in its fpath as the function of that name.
_hcp_complete() {
	local hcp=@HCP@ line kind
	[[ -x $hcp ]] || hcp=hcp
	local -a closed open
	for line in "${(@f)$("$hcp" __complete --shell zsh --shim "$service" -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
		case $line in
		"="*) closed+=("${line#=}") ;;
		"+"*) open+=("${line#+}") ;;
		files | dirs) kind=$line ;;
		esac
	done
	local found=1
	(( $#closed )) && _describe -t values value closed && found=0
	(( $#open )) && _describe -t values value open -S '' && found=0
	if [[ -n $kind ]]; then
		[[ $PREFIX == -*=* ]] && compset -P 1 '*='
		if [[ $kind == dirs ]]; then _files -/ && found=0; else _files && found=0; fi
	fi
	return found
}
if (( ! ${+functions[compdef]} )) && [[ -o interactive ]]; then
	autoload -Uz compinit && compinit -D -i
fi
if (( ${+functions[compdef]} )); then
	compdef _hcp_complete @NAMES@
fi
if [[ ${funcstack[1]-} == _hcp ]]; then
	_hcp_complete "$@"
fi
