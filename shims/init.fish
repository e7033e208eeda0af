# The shims of hcp at the front of PATH, there once. Every line ends a command,
# so that the lines may also be joined by spaces, as eval does.
begin;
	set -l __hcp_dir @DIR@;
	set -l __hcp_path $__hcp_dir;
	for __hcp_one in $PATH;
		if test "$__hcp_one" != "$__hcp_dir" -a "$__hcp_one" != "$__hcp_dir/";
			set __hcp_path $__hcp_path $__hcp_one;
		end;
	end;
	set -gx PATH $__hcp_path;
end;
eval @COMPLETION@;
