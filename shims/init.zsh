# Quoted, so that no other shell has to understand what only zsh does.
if [ -n "${ZSH_VERSION-}" ]; then
	eval @COMPLETION@
fi
