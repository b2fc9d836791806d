"""/translate_file and /download_file: LibreTranslate's way of documents, over ours.

    POST /translate_file, a form --> POST /v1/documents, the file --> a worker, or this process
    {"translatedFileUrl": ...}  <--  kept in a folder of the front  <-- the translated file

So whatever answers /v1/documents, with its limits and its cancelling, answers this, and the front
alone has the files: a worker that goes takes none with it.
"""

from __future__ import annotations

import asyncio
from urllib.parse import quote, unquote, urlencode

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.errors import DragomanError, InvalidRequestError
from dragoman.server.libretranslate.kept import KeptFiles
from dragoman.server.libretranslate.paths import DOWNLOAD, TRANSLATE_FILE
from dragoman.server.libretranslate.routes import json_response
from dragoman.server.libretranslate.upload import Upload, read_upload
from dragoman.server.middleware import HttpMiddleware
from dragoman.server.problems import ProblemError, error_response

_DOCUMENTS = "/v1/documents"
_ALL_COLUMNS = "all"  # of a table: its clients name none
# A file is another's text: no page of this server, whatever it says of itself.
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
}


class FileTranslation(HttpMiddleware):
    """Makes a request for /v1/documents of one for /translate_file, and keeps its answer."""

    def __init__(self, app: ASGIApp, kept: KeptFiles) -> None:
        super().__init__(app)
        self._kept = kept

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (scope["method"], scope["path"]) != ("POST", TRANSLATE_FILE):
            await self._app(scope, receive, send)
            return
        try:
            answer = await self._answer(scope, receive)
        except ProblemError as error:
            answer = error.problem.response()
        except DragomanError as error:
            answer = error_response(error)
        if answer is not None:  # else the client has left
            await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """
        Raises:
            DragomanError, ProblemError: the form is none, or the file cannot be kept.
        """
        body: bytes = (await receive()).get("body", b"")  # `BodyLimit` has read all of it
        said = Headers(scope=scope).get("content-type", "")
        upload = await asyncio.to_thread(read_upload, body, said)
        done = await self._documents(_scope(scope, upload), upload.content, receive)
        if done is None or done.status_code != 200:
            return done
        name = _name(done)
        key = await self._kept.keep(bytes(done.body), done.headers["content-type"], name)
        base = f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"
        return json_response({"translatedFileUrl": f"{base}{DOWNLOAD}{key}.{quote(name, safe='')}"})

    async def _documents(self, scope: Scope, content: bytes, receive: Receive) -> Response | None:
        head: Message = {}
        answer = bytearray()
        pending: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

        async def replayed() -> Message:
            return pending.pop() if pending else await receive()

        async def gathered(message: Message) -> None:
            if message["type"] == "http.response.start":
                head.update(message)
            else:
                answer.extend(message.get("body", b""))

        await self._app(scope, replayed, gathered)
        if not head:
            return None
        response = Response(bytes(answer), head["status"])
        response.raw_headers = list(head["headers"])
        return response


def _scope(scope: Scope, upload: Upload) -> Scope:
    """Of the request for /v1/documents.

    Raises:
        InvalidRequestError: the form does not say the languages.
    """
    said = {"columns": _ALL_COLUMNS, "name": upload.name}
    for field in "source", "target", "columns":
        if upload.fields.get(field):
            said[field] = upload.fields[field]
        elif field not in said:
            raise InvalidRequestError(f"{field}: Field required", field=field)
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name not in (b"content-type", b"content-length", b"transfer-encoding")
    ]
    return dict(scope) | {
        "path": _DOCUMENTS,
        "raw_path": _DOCUMENTS.encode(),
        "query_string": urlencode(said).encode(),
        "headers": [*headers, (b"content-type", b"application/octet-stream")],
    }


def _name(response: Response) -> str:
    """Of the file in an answer of /v1/documents."""
    return unquote(response.headers["content-disposition"].partition("''")[2])


def download_routes(kept: KeptFiles) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get(DOWNLOAD + "{named}")
    def download(named: str) -> Response:
        key, _, name = named.partition(".")  # keys have no dot
        file = kept.find(key)
        if file is None or file.name != name or not file.path.is_file():
            raise HTTPException(404)
        return FileResponse(
            file.path,
            headers=_HEADERS,
            media_type=file.media_type,
            filename=file.name,
            content_disposition_type="attachment",
        )

    return router
