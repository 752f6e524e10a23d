# fish completion for svcctl. Load it with: svcctl completion fish | source
function __svcctl_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    set -l directive ':none'
    for line in (SVC_NO_PROMPT=1 svcctl __complete fish -- $words 2>/dev/null </dev/null)
        if string match -q ':*' -- $line
            set directive $line
        else
            printf '%s\n' $line
        end
    end
    if test $directive = ':file'
        set -l token (commandline -ct)
        set -l paths (__fish_complete_path $token)
        if test (count $paths) -gt 0
            printf '%s\n' $paths
        # a file may follow an equals sign: --to=file, --report junit=file
        else if string match -q '*=*' -- $token
            set -l lead (string replace -r '[^=]*$' '' -- $token)
            for path in (__fish_complete_path (string replace -r '.*=' '' -- $token))
                printf '%s%s\n' $lead $path
            end
        end
    end
end
complete -c svcctl -e
complete -c svcctl -f -k -a '(__svcctl_complete)'
