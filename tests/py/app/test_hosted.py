import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from dragoman.app.hosted import HostedServer
from dragoman.server.settings import Settings


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostedServer]:
    web = tmp_path_factory.mktemp("web")
    (web / "index.html").write_text("<title>page</title>")
    server = HostedServer(Settings(web=web))
    server.start()
    yield server
    server.stop()


def asked(server: HostedServer, path: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(server.address + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.parametrize("path", ["/", "/v1/models", "/metrics", "/docs", "/nothing"])
@pytest.mark.parametrize("headers", [{}, {"Dragoman-Token": ""}, {"Dragoman-Token": "guess"}])
def test_who_does_not_know_the_token_gets_nothing(
    hosted: HostedServer, path: str, headers: dict[str, str]
) -> None:
    status, body = asked(hosted, path, **headers)
    assert status == 403
    assert json.loads(body)["error"]["code"] == "token-needed"


def test_the_window_gets_its_page(hosted: HostedServer) -> None:
    assert asked(hosted, "/", **{"Dragoman-Token": hosted.token}) == (200, b"<title>page</title>")


def test_each_start_has_a_token_of_its_own_which_no_message_shows(hosted: HostedServer) -> None:
    other = HostedServer(Settings())
    assert other.token != hosted.token
    assert len(hosted.token) == 43
    assert hosted.token not in repr(hosted._settings)


def test_two_have_ports_of_their_own(hosted: HostedServer) -> None:
    other = HostedServer(Settings())
    assert other.start() != hosted.address
    other.stop()
