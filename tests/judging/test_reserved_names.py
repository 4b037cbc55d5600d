"""A judge cannot be named as all judges together are."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from core.errors import UsageError
from core.judging.calls import CALLS_FILE
from core.judging.client import OpenAIClient
from core.judging.judgements import Judgements, judge
from core.study import Study


@pytest.mark.parametrize(("model", "name"), [("m", " all "), ("all", None)])
def test_a_run_named_all_asks_nothing(model: str, name: str | None, tmp_path: Path) -> None:
    study = Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    client = OpenAIClient(model=model, base_url="http://localhost:1", key="k")
    asked = Judgements(kind="scores", tasks=(), left_out=())
    with pytest.raises(UsageError, match=r"means all judges together.*--judge NAME"):
        judge(study, client, asked, judge=name)
    assert not (tmp_path / "s" / CALLS_FILE).exists()
