# Quoted, so that no other shell has to understand what only bash does.
if [ -n "${BASH_VERSION-}" ] && ! shopt -oq posix; then
	eval @COMPLETION@
fi
