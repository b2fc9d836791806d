"""The local server: a REST API over the native core, and the web files of the demo.

A request comes over a `connection` that ends when nothing moves, and passes, from the outside in:

    Metered           counts it, how it was answered, how long that took
    Guard             whatever goes wrong inside becomes a typed error; no message is logged
    IsolationHeaders  every response may be used by this origin alone
    HostCheck         the name that the browser was given is this machine's: no DNS rebinding
    OriginCheck       the page that asks is this server's own, or was allowed
    BodyLimit         the body is small enough and comes to its end, before anything reads it
    RequestLimit      not too many are open
    Dispatch          with several worker processes: what needs a model goes to one of them
    routes            /v1/translate  /v1/batch  /v1/models  /healthz  /metrics  /docs
                      /openapi.json, then the web files
"""

from dragoman.server.app import create_app
from dragoman.server.settings import Settings

__all__ = ["Settings", "create_app"]
