#!/bin/sh
# links.sh add|remove PROGRAM_FOLDER WHERE: the command, the menu entry, the icon and the file kinds of a .run installation.
set -eu
action=$1 prefix=$2 links=$3
command=$links/bin/aipc
entry=$links/share/applications/aipc.desktop
icon=$links/share/icons/hicolor/scalable/apps/aipc.svg
kinds=$links/share/mime/packages/aipc.xml

if [ "$action" = add ]; then
    mkdir -p "$(dirname "$command")" "$(dirname "$entry")" "$(dirname "$icon")" "$(dirname "$kinds")"
    ln -sfn "$prefix/bin/aipc" "$command"
    sed "s|^Exec=aipc|Exec=\"$prefix/bin/aipc\"|" "$prefix/parts/aipc.desktop" >"$entry"
    cp "$prefix/parts/aipc.svg" "$icon"
    cp "$prefix/parts/aipc.xml" "$kinds"
else
    # Only what is ours: another installation may have taken the name since.
    [ "$(readlink "$command" 2>/dev/null || :)" != "$prefix/bin/aipc" ] || rm -f "$command" "$entry" "$icon" "$kinds"
fi
update-desktop-database -q "$links/share/applications" 2>/dev/null || :
update-mime-database "$links/share/mime" 2>/dev/null || :
