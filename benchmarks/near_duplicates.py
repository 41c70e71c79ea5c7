"""Find planted near-duplicates among a million short texts, against datasketch's MinHash LSH."""

from __future__ import annotations

import argparse

from benchmarks.measure import in_fresh_process

ME = "benchmarks.near_duplicates"
THRESHOLD = 0.8


def planted(n: int) -> tuple[list[str], list[tuple[int, int]]]:
    """n texts of 8 to 29 Zipfian words; a twentieth are copies with a word added or the last one gone."""
    import numpy as np

    rng = np.random.default_rng(0)
    lengths = rng.integers(8, 30, n - n // 20)
    words = np.array([f"w{i}" for i in range(20_000)])[rng.zipf(1.3, int(lengths.sum())) % 20_000]
    texts = [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
    pairs = []
    for copy in range(n // 20):
        source = int(rng.integers(len(lengths)))
        changed = texts[source].split()
        texts.append(" ".join([*changed, "extra"] if copy % 2 else changed[:-1]))
        pairs.append((source, len(texts) - 1))
    return texts, pairs


def _jaccard(one: str, other: str) -> float:
    from arcuate.samples.text_identity import words

    sets = [{tuple(w[i : i + 3]) for i in range(max(1, len(w) - 2))} for w in (words(one), words(other))]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def ours(n: int) -> list[float]:
    """Seconds of the search alone, planted pairs at Jaccard >= 0.85, share found, wrong pairs."""
    import time

    from arcuate.samples.near_duplicates import near_duplicate_pairs

    texts, pairs = planted(n)
    start = time.perf_counter()
    found = {(pair.first, pair.second): pair.jaccard for pair in near_duplicate_pairs(texts, THRESHOLD)}
    seconds = time.perf_counter() - start
    wanted = [pair for pair in pairs if _jaccard(texts[pair[0]], texts[pair[1]]) >= 0.85]
    wrong = sum(_jaccard(texts[first], texts[second]) < THRESHOLD for first, second in found)
    return [seconds, len(wanted), sum(pair in found for pair in wanted) / len(wanted), wrong]


def peer(n: int) -> float:
    """datasketch: the field's usual package; its candidates are not even verified here."""
    import time

    from datasketch import MinHash, MinHashLSH

    from arcuate.samples.text_identity import words

    texts, _ = planted(n)
    start = time.perf_counter()
    index = MinHashLSH(threshold=THRESHOLD, num_perm=128)
    for number, text in enumerate(texts):
        token = words(text)
        sketch = MinHash(num_perm=128)
        sketch.update_batch([" ".join(token[i : i + 3]).encode() for i in range(max(1, len(token) - 2))])
        index.query(sketch)
        index.insert(number, sketch)
    return time.perf_counter() - start


def main() -> None:
    """Print one line for us, and the peer's time scaled up from a part of the texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--peer-texts", type=int, default=20_000)
    options = parser.parse_args()
    done = in_fresh_process(ME, "ours", options.texts)
    seconds, planted_pairs, found, wrong = done.result  # type: ignore[misc]
    print(f"arcuate: {options.texts:,} texts in {seconds:.0f} s, {done.gib:.1f} GiB; {found:.2%} of {planted_pairs:,} "
          f"planted pairs at Jaccard >= 0.85 found, {wrong} wrong")
    try:
        import datasketch  # noqa: F401
    except ImportError:
        print("datasketch is not installed, so there is no peer: pip install datasketch")
        return
    part = in_fresh_process(ME, "peer", options.peer_texts).result
    whole = part * options.texts / options.peer_texts  # type: ignore[operator]
    print(f"datasketch: {part:.1f} s for {options.peer_texts:,} texts, about {whole:.0f} s for all: "
          f"{whole / seconds:.1f}× ours")


if __name__ == "__main__":
    main()
