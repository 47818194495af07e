# Put into both installers by the build: what must hold before anything is copied.
# The build sets GLIBC (the oldest C library that will do), MACHINE and NEEDED_MB.

case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in zh*) speaks_chinese=1 ;; *) speaks_chinese= ;; esac

# say ENGLISH CHINESE
say() {
    if [ -n "$speaks_chinese" ]; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi
}

# Without a terminal (a double click) the sentence goes into a window, where the desktop has a tool for it.
refuse() {
    text=$(say "$1" "$2")
    printf '%s\n' "$text" >&2
    if [ ! -t 2 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
        zenity --error --text="$text" 2>/dev/null || kdialog --error "$text" 2>/dev/null ||
            notify-send AIPC "$text" 2>/dev/null
    fi
    exit 1
}

glibc_here() {
    (getconf GNU_LIBC_VERSION || ldd --version) 2>/dev/null | sed -n '1s/.*[^0-9.]\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p'
}

# is_older A B: version A is older than version B
is_older() {
    [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

free_mb() {
    folder=$1
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    df -Pm "$folder" | awk 'NR == 2 { print $4 }'
}

# check_system FOLDER
check_system() {
    machine=$(uname -m)
    [ "$machine" = "$MACHINE" ] || refuse \
        "This package is for $MACHINE and this PC is $machine; take the package for $machine." \
        "此安装包适用于 $MACHINE，而本机为 $machine；请使用适用于 $machine 的安装包。"
    found=$(glibc_here)
    if [ -z "$found" ] || is_older "$found" "$GLIBC"; then
        refuse "AIPC needs a Linux with glibc $GLIBC or newer (Debian 12, Ubuntu 22.04 or later), and this one has ${found:-another C library}; nothing was installed." \
            "AIPC 需要 glibc $GLIBC 或更新版本的 Linux（Debian 12、Ubuntu 22.04 及以后），本机为 ${found:-其他 C 库}；未安装任何文件。"
    fi
    free=$(free_mb "$1")
    [ "$free" -ge "$NEEDED_MB" ] || refuse \
        "AIPC needs $NEEDED_MB MB and the disk of $1 has $free MB free; free some space and start again. Nothing was installed." \
        "AIPC 需要 $NEEDED_MB MB，而 $1 所在磁盘仅剩 $free MB；请腾出空间后重试。未安装任何文件。"
}
