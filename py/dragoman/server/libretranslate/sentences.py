"""Errors as LibreTranslate's clients know them: `{"error": "a sentence"}`, with status 400 for
whatever is wrong with a request."""

from __future__ import annotations

import json

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from dragoman.server.libretranslate.paths import is_libre
from dragoman.server.middleware import HttpMiddleware
from dragoman.wire.responses import json_bytes

_WRONG = frozenset({404, 413, 415, 422})


class ErrorSentences(HttpMiddleware):
    """Makes them of our errors, on LibreTranslate's paths."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_libre(scope["path"]):
            await self._app(scope, receive, send)
            return
        head: Message = {}
        content = bytearray()

        async def rewritten(message: Message) -> None:
            nonlocal head
            if message["type"] == "http.response.start" and message["status"] >= 400:
                head = message
            elif not head:
                await send(message)
            else:
                content.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    await self._send(scope, head, bytes(content), send)

        await self._app(scope, receive, rewritten)

    async def _send(self, scope: Scope, head: Message, content: bytes, send: Send) -> None:
        headers = MutableHeaders(raw=list(head["headers"]))
        status = head["status"]
        if headers.get("content-type") == "application/json":
            content = json_bytes({"error": json.loads(content)["error"]["message"]})
            headers["content-length"] = str(len(content))
        if scope["method"] == "POST" and status in _WRONG:
            status = 400
        await send({**head, "status": status, "headers": headers.raw})
        await send({"type": "http.response.body", "body": content})
