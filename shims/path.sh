# The shims of hcp at the front of PATH, there once, for bash and zsh. Every line
# is POSIX sh: a ~/.profile is also read by shells that are neither.
__hcp_dir=@DIR@
__hcp_rest=${PATH:+${PATH}:}
PATH=${__hcp_dir}
while [ -n "${__hcp_rest}" ]; do
	__hcp_one=${__hcp_rest%%:*}
	__hcp_rest=${__hcp_rest#*:}
	if [ "${__hcp_one}" != "${__hcp_dir}" ] && [ "${__hcp_one}" != "${__hcp_dir}/" ]; then
		PATH=${PATH}:${__hcp_one}
	fi
done
export PATH
unset __hcp_dir __hcp_rest __hcp_one
