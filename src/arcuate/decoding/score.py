"""Every text score of a predictions file, each with the signature that says how to compute it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arcuate.decoding.verdict.predictions import read_predictions
from arcuate.metrics.signature import signature
from arcuate.metrics.text import METRICS, text_scores


def score_file(path: str | Path, *, teacher_forced: bool = False, bertscore: bool = False) -> dict[str, Any]:
    """Score `path` (CSV, TSV or JSONL) by every text metric and by retrieval, in percent.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "said.csv"
    >>> _ = file.write_text("target,predicted\\nthe cat sat,the bat sat\\na dog ran,a dog ran\\n")
    >>> result = score_file(file)
    >>> round(result["scores"]["wer"], 2), result["scores"]["retrieval_top1"], result["distinct_outputs"]
    (16.67, 100.0, 2)
    """
    from arcuate.metrics.retrieval import retrieval_statistics

    said = read_predictions(path, teacher_forced=teacher_forced)
    scores = text_scores(said.targets, said.predicted)
    signatures = {name: METRICS[name].signature for name in scores}
    ranks = retrieval_statistics(said.targets, said.predicted).mean(axis=0)
    for column, name in enumerate(("retrieval_rank", "retrieval_top1", "retrieval_top5")):
        scores[name] = 100.0 * float(ranks[column])
        chance = 50.0 if column == 0 else 100.0 * float(ranks[column + 2])
        signatures[name] = signature(
            metric=name, unit="percent", similarity="idf-cosine", chance=round(chance, 4), better="higher"
        )
    if bertscore:
        from arcuate.metrics.bertscore import bertscore_f

        scores["bertscore_f"] = bertscore_f(said.targets, said.predicted)
        signatures["bertscore_f"] = signature(metric="bertscore_f", model="roberta-large", better="higher")
    return {
        "file": str(path), "samples": len(said.targets), "distinct_targets": len(set(said.targets)),
        "distinct_outputs": said.distinct_outputs, "column": _column(said.generation), "scores": scores,
        "signatures": signatures, "signature": signature(
            scores="text", generation=said.generation, predictions=said.hash, samples=len(said.targets)
        ),
    }


def _column(generation: str) -> str:
    return {"free": "predicted_free", "teacher-forced": "predicted_teacher_forced"}.get(generation, "predicted")
