; The Windows installer. makensis -DVERSION=0.1.0 -DTREE=..\..\build\windows\tree -DOUT=..\..\dist\aipc-0.1.0-x64.exe aipc.nsi
; For one user, without an administrator; /S installs silently, /D=FOLDER (last, unquoted) names the folder.
; Data lies in %LOCALAPPDATA%\aipc and is touched by neither installing nor removing, unless removing is told to.

Unicode true
SetCompressor /SOLID lzma
RequestExecutionLevel user
Name "AIPC"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\AIPC"
InstallDirRegKey HKCU "Software\AIPC" "Folder"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "AIPC"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "AIPC"
VIAddVersionKey "LegalCopyright" "see the folder licences"

!include "MUI2.nsh"
!include "x64.nsh"
!include "WinVer.nsh"
!define ENTRY "Software\Microsoft\Windows\CurrentVersion\Uninstall\AIPC"

!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\python\pythonw.exe"
!define MUI_FINISHPAGE_RUN_PARAMETERS "-m aipc_app"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

LangString OldWindows ${LANG_ENGLISH} "AIPC needs 64-bit Windows 10 (version 1809) or newer. Nothing was installed."
LangString OldWindows ${LANG_SIMPCHINESE} "AIPC 需要 64 位 Windows 10（1809 版）或更新版本。未安装任何文件。"
LangString Running ${LANG_ENGLISH} "AIPC is running. Close it and start again; nothing was changed."
LangString Running ${LANG_SIMPCHINESE} "AIPC 正在运行。请关闭后重试；未作任何更改。"
LangString NotOurs ${LANG_ENGLISH} "$INSTDIR is not empty and is not AIPC; choose another folder."
LangString NotOurs ${LANG_SIMPCHINESE} "$INSTDIR 非空且不是 AIPC；请选择其他文件夹。"
LangString PurgeData ${LANG_ENGLISH} "Delete the data too ($LOCALAPPDATA\aipc: cases, documents, conversations)? No keeps it."
LangString PurgeData ${LANG_SIMPCHINESE} "是否同时删除数据（$LOCALAPPDATA\aipc：案件、文件、对话）？选“否”则保留。"

Function .onInit
    ${IfNot} ${RunningX64}
    ${OrIfNot} ${AtLeastBuild} 17763
        MessageBox MB_OK|MB_ICONSTOP "$(OldWindows)" /SD IDOK
        SetErrorLevel 1
        Abort
    ${EndIf}
FunctionEnd

Section "AIPC"
    SectionIn RO
    ; An older version is taken out whole: files of two versions never mix. Models put beside the program stay.
    ${If} ${FileExists} "$INSTDIR\installation.json"
        ClearErrors
        Rename "$INSTDIR\python" "$INSTDIR\python.old"
        ${If} ${Errors}
            MessageBox MB_OK|MB_ICONSTOP "$(Running)" /SD IDOK
            SetErrorLevel 1
            Abort
        ${EndIf}
        RMDir /r "$INSTDIR\python.old"
        RMDir /r "$INSTDIR\app"
        RMDir /r "$INSTDIR\licences"
        RMDir /r "$INSTDIR\fonts"
    ${ElseIf} ${FileExists} "$INSTDIR\*.*"
        MessageBox MB_OK|MB_ICONSTOP "$(NotOurs)" /SD IDOK
        SetErrorLevel 1
        Abort
    ${EndIf}
    SetOutPath "$INSTDIR"
    File /r "${TREE}/*"
    CreateDirectory "$INSTDIR\models"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    WriteRegStr HKCU "Software\AIPC" "Folder" "$INSTDIR"
    WriteRegStr HKCU "${ENTRY}" "DisplayName" "AIPC"
    WriteRegStr HKCU "${ENTRY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${ENTRY}" "DisplayIcon" "$INSTDIR\aipc.ico"
    WriteRegStr HKCU "${ENTRY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${ENTRY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${ENTRY}" "NoModify" 1
    WriteRegDWORD HKCU "${ENTRY}" "NoRepair" 1
    ; Law libraries and backups open with it.
    WriteRegStr HKCU "Software\Classes\AIPC.File\DefaultIcon" "" "$INSTDIR\aipc.ico"
    WriteRegStr HKCU "Software\Classes\AIPC.File\shell\open\command" "" '"$INSTDIR\python\pythonw.exe" -m aipc_app open "%1"'
    WriteRegStr HKCU "Software\Classes\.aipclib" "" "AIPC.File"
    WriteRegStr HKCU "Software\Classes\.aipcbackup" "" "AIPC.File"
    CreateShortcut "$SMPROGRAMS\AIPC.lnk" "$INSTDIR\python\pythonw.exe" "-m aipc_app" "$INSTDIR\aipc.ico"
SectionEnd

Section "Uninstall"
    Delete "$SMPROGRAMS\AIPC.lnk"
    RMDir /r "$INSTDIR\python"
    RMDir /r "$INSTDIR\app"
    RMDir /r "$INSTDIR\licences"
    RMDir /r "$INSTDIR\fonts"
    Delete "$INSTDIR\installation.json"
    Delete "$INSTDIR\aipc.cmd"
    Delete "$INSTDIR\aipc.ico"
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR\models"
    RMDir "$INSTDIR"
    DeleteRegKey HKCU "${ENTRY}"
    DeleteRegKey HKCU "Software\Classes\AIPC.File"
    DeleteRegKey HKCU "Software\Classes\.aipclib"
    DeleteRegKey HKCU "Software\Classes\.aipcbackup"
    DeleteRegKey HKCU "Software\AIPC"
    MessageBox MB_YESNO|MB_DEFBUTTON2|MB_ICONQUESTION "$(PurgeData)" /SD IDNO IDNO keep
    RMDir /r "$LOCALAPPDATA\aipc"
    keep:
SectionEnd
