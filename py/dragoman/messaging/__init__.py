"""Native messaging: the browser starts a process of this machine and talks to it on its streams.

    extension --> browser --> launcher --> dragoman host        starts with the first translation
        <--- frames on standard input and output --->           ends with standard input

`frames` is what stands on the streams, `host` what the messages mean and `serve` the two put
together; `extension` says who may call, `install` tells the browsers where the launcher is. No port
is open, and nothing that a page says reaches the process but through the extension (ADR 36).
"""
