"""``foreseen fetch papers`` and ``fetch references``: live sources into a study."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.commands.options import JsonFlag, note, print_json
from core.config import StudyConfig
from core.errors import DataError, UsageError
from core.files import CONFIG_FILE

if TYPE_CHECKING:
    from core.ingest.sources.gather import Gathered

_SOURCES = "semantic-scholar|openalex|arxiv"
Into = Annotated[Path, typer.Option(metavar="STUDY", help="The study's folder")]
Limit = Annotated[
    int | None,
    typer.Option(min=1, help="Stop a search after the page that reaches so many records"),
]
Restart = Annotated[bool, typer.Option("--restart", help="Fetch anew what is there already")]
Url = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Another address of the source")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    fetching = typer.Typer(
        help="Fetch from live sources, page by page; a stopped fetch goes on where it was.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.add_typer(fetching, name="fetch")

    @fetching.command("papers")
    def papers(
        into: Into,
        source: Annotated[
            str, typer.Option(metavar=_SOURCES, help="Who is asked")
        ] = "semantic-scholar",
        query: Annotated[
            list[str] | None,
            typer.Option(
                metavar="[TOPIC=]WORDS",
                help="Words to search; their topic is TOPIC, else the words; repeatable",
            ),
        ] = None,
        first: Annotated[
            str | None,
            typer.Option("--from", metavar="YYYY-MM-DD", help="Else the day after the cutoff"),
        ] = None,
        last: Annotated[
            str | None,
            typer.Option("--to", metavar="YYYY-MM-DD", help="Else the window's last day"),
        ] = None,
        preset: Annotated[
            str | None,
            typer.Option(
                metavar="hindsight", help="HindSight's ten topics, June 2023 to December 2025"
            ),
        ] = None,
        limit: Limit = None,
        restart: Restart = False,
        base_url: Url = None,
        json_: JsonFlag = False,
    ) -> None:
        """Fetch papers by words and dates into the papers table.

        Keys are optional and come from the environment: SEMANTIC_SCHOLAR_API_KEY,
        OPENALEX_API_KEY.
        """
        from core.ingest.sources import span_of, topics_of
        from core.ingest.sources.gather import gather_papers

        topics = topics_of(query or (), preset)
        start, end = span_of(
            StudyConfig.read(into / CONFIG_FILE), preset, _day("--from", first), _day("--to", last)
        )
        done = gather_papers(
            into, source, topics, start=start, end=end, url=base_url, limit=limit,
            restart=restart, note=note,
        )  # fmt: skip
        _tell(done, json_)

    @fetching.command("references")
    def references(
        into: Into,
        venue: Annotated[
            list[str], typer.Option(metavar="'NAME YEAR'", help="A conference; repeatable")
        ],
        scale: Annotated[
            list[str] | None,
            typer.Option(
                metavar="VENUE: MARK=LOW..HIGH …",
                help="Scale of review marks: 'ICLR 2026: rating=0..10 soundness=1..4'; repeatable",
            ),
        ] = None,
        limit: Limit = None,
        restart: Restart = False,
        base_url: Url = None,
        json_: JsonFlag = False,
    ) -> None:
        """Fetch a conference's submissions with reviews and decisions into references.

        OPENREVIEW_TOKEN in the environment is sent where it is set; what is public needs none.
        """
        from core.ingest.sources.gather import gather_references

        done = gather_references(
            into, venue, scales=tuple(scale or ()), url=base_url, limit=limit, restart=restart,
            note=note,
        )  # fmt: skip
        _tell(done, json_)


def _tell(done: Gathered, json_: bool) -> None:
    note(done.to_text())
    if json_:
        print_json(done.to_dict())
    if done.stopped:
        raise typer.Exit(DataError.exit_code)


def _day(option: str, text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(
            f"{option} {text!r}: must be a day as YYYY-MM-DD, such as 2023-06-01 ({error})"
        ) from None
