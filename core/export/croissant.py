"""A study's metadata after Croissant 1.0 (MLCommons): schema.org JSON-LD of files and fields."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.export.matched import SIMULATED
from core.files import CONFIG_FILE
from core.ingest.tabular import read_rows
from core.schema import TABLES, Table
from core.study import Study, table_file

_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
}
_TYPES = {
    "text": "sc:Text",
    "choice": "sc:Text",
    "number": "sc:Float",
    "integer": "sc:Integer",
    "date": "sc:Date",
    "texts": "sc:Text",
    "record": "sc:Text",
}
_KINDS = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".jsonl": "application/jsonlines",
    ".parquet": "application/x-parquet",
    ".toml": "application/toml",
}
_HOMES = {"idea_id": "ideas", "paper_id": "papers", "reference_id": "references"}


def croissant(study: Study) -> dict[str, Any]:
    """The study's files with their digests, and each table's fields with what they mean.

    A field that names a row of another table refers to it. No file's content, no path outside
    of the study's folder.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so it has no files to describe.")
    files = [_file(study.folder / CONFIG_FILE)]
    sets = []
    for table in TABLES.values():
        path = table_file(study.folder, table.name)
        if path is not None:
            files.append(_file(path))
            frame = getattr(study, table.name)
            sets.append(_record_set(table, path, len(frame)))
    config = study.config
    described = config.description or (
        f"Research ideas held against what was published after {config.cutoff}: the tables of a"
        " Foreseen study."
    )
    whole: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": config.name,
        "description": described,
        "version": f"1.0.0+{study.digest}",
        "temporalCoverage": f"{config.cutoff}/{config.window_end()}",
        "distribution": files,
        "recordSet": sets,
    }
    if config.snapshot is not None:
        whole["dateModified"] = str(config.snapshot)
    if config.simulated:
        whole["description"] = f"{described} {SIMULATED}"
        whole["keywords"] = ["simulated"]
    return whole


def _file(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    suffix = Path(path.name.removesuffix(".gz")).suffix
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{len(data)} B",
        "encodingFormat": _KINDS.get(suffix, "application/octet-stream"),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _columns(path: Path) -> set[str]:
    """The columns that a table's file has: unknown ones are left out of JSONL."""
    if path.suffix == ".parquet":
        from pyarrow.parquet import read_schema

        return set(read_schema(path).names)
    return set(read_rows(path).columns)


def _record_set(table: Table, path: Path, rows: int) -> dict[str, Any]:
    fields = []
    there = _columns(path)
    # Elsewhere lists and objects stand as JSON text; an object without set fields has no type.
    nested = ".jsonl" in path.suffixes
    for column in table.columns:
        if column.name not in there or (nested and column.kind == "record"):
            continue
        field: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{table.name}/{column.name}",
            "name": column.name,
            "description": column.doc,
            "dataType": _TYPES[column.kind],
            "source": {"fileObject": {"@id": path.name}, "extract": {"column": column.name}},
        }
        if nested and column.kind == "texts":
            field["repeated"] = True
        home = _HOMES.get(column.name)
        if home is not None and home != table.name:
            field["references"] = {"field": {"@id": f"{home}/{column.name}"}}
        fields.append(field)
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"Each record is {table.row}; {rows} of them.",
        "key": [{"@id": f"{table.name}/{name}"} for name in table.key if name in there],
        "field": fields,
    }
