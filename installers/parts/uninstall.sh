#!/bin/sh
# Removes a .run installation. The data stays; with --purge-data the data of this user goes too.
set -eu
prefix=$(dirname "$(readlink -f "$0")")
data=${AIPC_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/aipc}
case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in zh*) speaks_chinese=1 ;; *) speaks_chinese= ;; esac
say() { if [ -n "$speaks_chinese" ]; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi; }
purge=
case ${1:-} in
    '') ;;
    --purge-data) purge=1 ;;
    *) say "Usage: uninstall [--purge-data]" "用法：uninstall [--purge-data]" >&2; exit 2 ;;
esac
[ -f "$prefix/installation.json" ] || { say "This is not an installation of AIPC." "这里没有安装 AIPC。" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then links=/usr/local; else links=$HOME/.local; fi
case $prefix in "$HOME"/*) links=$HOME/.local ;; esac
sh "$prefix/parts/links.sh" remove "$prefix" "$links"
rm -rf "$prefix"
if [ -n "$purge" ]; then
    # Only a folder that is one of ours, and only what the program makes there.
    if [ -f "$data/aipc.sqlite" ]; then rm -rf "$data"; fi
    say "AIPC and its data ($data) are removed." "AIPC 及其数据（$data）已删除。"
else
    say "AIPC is removed. The data stays in $data." "AIPC 已卸载，数据仍保留在 $data。"
fi
