#!/bin/sh
# Before anything is unpacked: is this PC one that the program runs on?
set -eu
GLIBC=@GLIBC@ MACHINE=@MACHINE@ NEEDED_MB=@NEEDED_MB@

@CHECK@

case $1 in install | upgrade) check_system /opt/aipc ;; esac
exit 0
