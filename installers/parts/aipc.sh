#!/bin/sh
# Starts AIPC from wherever its folder lies; `aipc` in a PATH is a link to this file.
here=$(dirname "$(readlink -f "$0")")
root=${here%/bin}
# Nothing of another Python on this PC gets in, and nothing is written into the program's folder.
unset PYTHONHOME PYTHONPATH PYTHONSTARTUP PYTHONOPTIMIZE PYTHONINSPECT
export PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1
# onnxruntime reports to its maker unless told not to.
export ORT_DISABLE_TELEMETRY=1
# The system's fonts, and after them the Chinese one that AIPC brings.
export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$root/fonts/fonts.conf}"
# For RAR archives, where the system has no library of its own.
set -- /usr/lib/*/libarchive.so.13 /usr/lib64/libarchive.so.13 -- "$@"
system_has_it=
while [ "$1" != -- ]; do [ ! -e "$1" ] || system_has_it=1; shift; done
shift
[ -n "$system_has_it" ] || export LIBARCHIVE="$root/python/lib/libarchive.so.13"
# fcitx speaks ibus too, and Qt's wheel has a plugin for ibus alone.
case ${QT_IM_MODULE:-} in fcitx | fcitx5) export QT_IM_MODULE=ibus ;; esac
exec "$root/python/bin/python3" -m aipc_app "$@"
