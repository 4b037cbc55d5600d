"""The key is found where it should be, and is seen nowhere."""

from __future__ import annotations

import logging
import pickle
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging_helpers import PARAMETERS, study_of
from misbehaving import Server, serving
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError, UsageError
from core.judging.client import OpenAIClient
from core.judging.judgements import judge
from core.judging.limits import Limits
from core.judging.scores import score_tasks
from core.keys import ApiKey, find_key, public_url, scrub
from core.retry import RetryPolicy

SECRET = 'sk-secret-"quoted\\and-long-0123456789'


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORESEEN_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def secrets_file(folder: Path, text: str) -> Path:
    (folder / ".streamlit").mkdir(parents=True)
    (folder / ".streamlit" / "secrets.toml").write_text(text)
    return folder


def test_a_key_shows_itself_to_nobody() -> None:
    key = ApiKey(SECRET, "OPENAI_API_KEY")
    client = OpenAIClient(model="m", base_url="http://u:pw@host/v1?api-key=hidden", key=key)
    for text in (repr(key), str(key), f"{key}", f"{key!r}", repr(client), str(vars(client))):
        assert SECRET not in text
    assert "pw" not in repr(client)
    assert "hidden" not in repr(client)
    assert "***" in repr(client)
    with pytest.raises(TypeError):
        pickle.dumps(key)
    assert key.reveal() == SECRET


def test_where_a_key_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = secrets_file(tmp_path / "a", '[openai]\napi_key = "from-file"\n')
    assert find_key((tmp_path,)) is None
    found = find_key((tmp_path, folder))
    assert found is not None
    assert found.reveal() == "from-file"
    monkeypatch.setenv("OPENAI_API_KEY", "from-openai")
    assert str(find_key((folder,))) == "ApiKey(***, from OPENAI_API_KEY)"
    monkeypatch.setenv("FORESEEN_API_KEY", "from-foreseen")
    assert str(find_key((folder,))) == "ApiKey(***, from FORESEEN_API_KEY)"


def test_a_secrets_file_that_breaks_is_named_and_not_quoted(tmp_path: Path) -> None:
    folder = secrets_file(tmp_path / "a", f"api_key = {SECRET}\n")
    with pytest.raises(DataError, match="not readable as TOML") as caught:
        find_key((folder,))
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    other = secrets_file(tmp_path / "b", 'openai = "x"\n')
    assert find_key((other,)) is None


def test_openai_itself_needs_a_key_and_a_local_server_none() -> None:
    with pytest.raises(UsageError, match=r"OPENAI_API_KEY.*secrets.toml.*--base-url"):
        OpenAIClient(model="m")
    assert OpenAIClient(model="m", base_url="http://localhost:1/v1").key is None
    with pytest.raises(UsageError, match="must begin with http"):
        OpenAIClient(model="m", base_url="localhost:8000")


def test_addresses_lose_what_may_be_secret() -> None:
    assert public_url("https://u:p@h.org:8/v1?key=x#y") == "https://h.org:8/v1"
    assert public_url("http://[::1]:8/v1") == "http://[::1]:8/v1"


def test_words_of_a_server_lose_whatever_looks_like_a_key() -> None:
    said = scrub("Incorrect API key provided: sk-proj-ab***cd. Bearer abc.def", None)
    assert "sk-proj" not in said
    assert "abc.def" not in said


def test_no_key_in_any_file_log_or_traceback(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A server that echoes the key in its errors and in its replies, with every log wide open."""
    caplog.set_level(logging.DEBUG)
    study = study_of(tmp_path / "s", ["well", "key-in-reply", "500", "401"])
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    client = OpenAIClient(model="m", base_url=server.url, key=find_key(), timeout=5)
    report = judge(
        study,
        client,
        score_tasks(study, repeats=1),
        parameters=PARAMETERS,
        limits=Limits(concurrency=1),
        retry=RetryPolicy(attempts=2, first=0.01),
    )
    assert set(server.keys) == {f"Bearer {SECRET}"}  # it was sent
    assert (report.run.ok, report.run.call_failed) == (3, 1)
    assert report.run.stopped == "server"
    spelled = (SECRET, repr(SECRET)[1:-1], SECRET.replace("\\", "\\\\").replace('"', '\\"'))
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert len(files) >= 4
    for text in [
        *(path.read_bytes().decode("latin-1") for path in files),
        caplog.text,
        repr(report),
    ]:
        for secret in spelled:
            assert secret not in text


def test_no_key_on_the_terminal(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_of(tmp_path / "s", ["401"])
    monkeypatch.setenv("FORESEEN_API_KEY", SECRET)
    command = ["judge", "scores", str(tmp_path / "s"), "--model", "m", "--base-url", server.url]
    for more in ([], ["--json"]):
        done = CliRunner().invoke(app, [*command, *more])
        assert done.exit_code == 1
        assert "401" in done.output
        assert "FORESEEN_API_KEY" in done.output
        assert SECRET not in done.output
        assert SECRET not in repr(done.exception)


def test_a_broken_connection_leaves_no_request_behind(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error that leaves the client holds neither the request nor the one it came from."""
    import asyncio

    from core.judging.client import Request
    from core.judging.task import Message
    from core.retry import CallError

    client = OpenAIClient(
        model="m", base_url="http://127.0.0.1:9/v1", key=ApiKey(SECRET, "test"), timeout=1
    )
    request = Request(
        messages=(Message(role="user", content="x"),),
        parameters={},
        schema_name="x",
        schema={},
        bare_schema={},
    )

    async def go() -> CallError:
        with pytest.raises(CallError) as caught:
            await client.send(request)
        await client.close()
        return caught.value

    error = asyncio.run(go())
    assert error.__cause__ is None
    assert error.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(error))
