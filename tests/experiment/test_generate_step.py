"""The step that generates: which generator writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiment_helpers import FILE, Bench, ran, write_papers

from core.errors import DataError
from core.study import Study


def test_a_system_needs_a_generator_or_its_name(tmp_path: Path) -> None:
    write_papers(tmp_path)
    text = FILE.replace('generator = "retrieval"\n', "")
    with pytest.raises(DataError, match="system 'RA' needs generator = 'retrieval'"):
        Bench(tmp_path).run(text)
    done = Bench(tmp_path).run(text.replace('system = "RA"', 'system = "retrieval"'))
    assert "generate retrieval" in ran(done)
    extra = Study.open(tmp_path / "s").ideas.set_index("system")["extra"]
    assert {each["generator"] for each in extra["retrieval"]} == {"retrieval"}
