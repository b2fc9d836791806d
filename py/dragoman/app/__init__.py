"""`dragoman app`: a window with the page, over the native engine.

    main thread: Qt                         a thread: uvicorn
    Instance   one for each user            HostedServer  at a loopback port, with a token
    Window     the page, `?engine=server` -----> /v1/translate ... with the token in a header
    Tray       show, clipboard, quit

Only `window`, `tray` and `instance` import Qt, which the extra `dragoman[app]` brings.
"""
