#!/bin/sh
# AIPC @VERSION@: installs itself; no administrator needed. `sh FILE --help`
set -eu
umask 022
VERSION=@VERSION@ GLIBC=@GLIBC@ MACHINE=@MACHINE@ NEEDED_MB=@NEEDED_MB@
PAYLOAD_LINE=@PAYLOAD_LINE@ PAYLOAD_SHA256=@PAYLOAD_SHA256@

@CHECK@

usage() {
    say "Usage: sh $(basename "$0") [--prefix FOLDER] [--quiet] [--check]
  --prefix FOLDER  where the program goes (root: /opt/aipc, others: ~/.local/share/aipc-app)
  --quiet          say nothing unless something is wrong
  --check          only verify this file and this PC
It asks nothing. The data lies elsewhere (~/.local/share/aipc) and is never touched. To remove: FOLDER/uninstall" \
        "用法：sh $(basename "$0") [--prefix 文件夹] [--quiet] [--check]
  --prefix 文件夹  程序安装位置（root：/opt/aipc，其他用户：~/.local/share/aipc-app）
  --quiet          除出错外不显示任何信息
  --check          只检查本文件与本机
安装过程不提问。数据位于别处（~/.local/share/aipc），安装与卸载均不触及。卸载：运行 文件夹/uninstall"
}

if [ "$(id -u)" = 0 ]; then prefix=/opt/aipc; else prefix=$HOME/.local/share/aipc-app; fi
quiet= only_check=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ $# -ge 2 ] || { usage >&2; exit 2; }; prefix=$2; shift ;;
        --quiet) quiet=1 ;;
        --check) only_check=1 ;;
        --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
# A program in a user's own folder has its command and menu entry there, too.
if [ "$(id -u)" = 0 ]; then links=/usr/local; else links=$HOME/.local; fi
case $prefix in "$HOME"/*) links=$HOME/.local ;; esac
tell() { [ -n "$quiet" ] || say "$1" "$2"; }

check_system "$prefix"
tell "Checking this file …" "正在校验安装文件……"
[ "$(tail -n +"$PAYLOAD_LINE" "$0" | sha256sum | cut -d' ' -f1)" = "$PAYLOAD_SHA256" ] || refuse \
    "This file is damaged; copy it to this PC again." "安装文件已损坏；请重新复制到本机。"
[ -z "$only_check" ] || { tell "This file and this PC are fine." "安装文件与本机均符合要求。"; exit 0; }
if [ -e "$prefix" ] && [ ! -e "$prefix/installation.json" ]; then
    refuse "$prefix is there and is not AIPC; name another folder with --prefix." \
        "$prefix 已存在且不是 AIPC；请用 --prefix 指定其他文件夹。"
fi

if [ "$prefix" = /opt/aipc ] && [ -e /var/lib/dpkg/info/aipc.list ]; then
    refuse "AIPC is installed here as a Debian package; update it with the .deb, or name another folder with --prefix." \
        "本机已以 Debian 软件包形式安装 AIPC；请用 .deb 更新，或用 --prefix 指定其他文件夹。"
fi

# Unpacked beside the old one, which is only replaced by a whole new one.
new=$prefix.new
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
rm -rf "$new"
mkdir -p "$new" 2>/dev/null || refuse \
    "$(dirname "$prefix") can't be written; name another folder with --prefix." \
    "无法写入 $(dirname "$prefix")；请用 --prefix 指定其他文件夹。"
tell "Unpacking AIPC $VERSION into $prefix …" "正在将 AIPC $VERSION 安装到 $prefix……"
# What tar says is kept in memory: the disk may be what is full.
said=$(tail -n +"$PAYLOAD_LINE" "$0" | LC_ALL=C tar -xzf - -C "$new" 2>&1) || {
    case $said in *"No space left"*) refuse \
        "The disk became full while AIPC was unpacked; free some space and start again. Nothing was changed." \
        "解压 AIPC 时磁盘已满；请腾出空间后重试。未作任何更改。" ;;
    esac
    reason=$(printf '%s\n' "$said" | sed -n '1s/^tar: //p')
    refuse "AIPC could not be unpacked ($reason); nothing was changed." "AIPC 未能解压（$reason）；未作任何更改。"
}
rm -rf "$prefix.old"
# Models that an administrator put beside the program stay with it.
if [ -d "$prefix/models" ]; then
    mkdir -p "$new/models"
    for model in "$prefix"/models/*; do
        [ ! -e "$model" ] || [ -e "$new/models/$(basename "$model")" ] || ln "$model" "$new/models/" 2>/dev/null ||
            cp "$model" "$new/models/"
    done
fi
[ ! -e "$prefix" ] || mv "$prefix" "$prefix.old"
mv "$new" "$prefix"
rm -rf "$prefix.old"

sh "$prefix/parts/links.sh" add "$prefix" "$links"
tell "AIPC $VERSION is installed. Start it from the menu, or with: $links/bin/aipc" \
    "AIPC $VERSION 已安装。可从菜单启动，或运行：$links/bin/aipc"
exit 0
