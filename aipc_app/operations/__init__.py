"""One function per user action. The window and the command line call these and nothing below them.

Each returns an `Op` that has not started; run it off the window's thread. Writing operations publish the
`Changes` they made on `services.changes`; screens decide for themselves what to refresh.
"""
