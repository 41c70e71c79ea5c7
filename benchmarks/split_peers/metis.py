"""METIS: a balanced partition of the graph with the fewest samples cut."""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array

from arcuate.samples.graph import Graph
from benchmarks.split_peers import Answered, Asked, Skipped


def answer(graph: Graph, asked: Asked) -> Answered:
    """Parts whose nodes carry the asked shares of the weight: the nearest that METIS has to a ratio of samples."""
    try:
        import pymetis
    except ImportError as missing:
        raise Skipped("pymetis is not installed (pip install 'arcuate[bench]')") from missing
    matrix = graph.matrix()
    both = block_array([[None, matrix], [matrix.T, None]]).tocsr()
    share = np.asarray(asked.ratio, float) / np.sum(asked.ratio)
    options = pymetis.Options(seed=asked.seed)
    _, membership = pymetis.part_graph(
        len(share), xadj=both.indptr.tolist(), adjncy=both.indices.tolist(),
        eweights=np.rint(both.data).astype(int).tolist(), vweights=np.rint(both.sum(1)).astype(int).tolist(),
        tpwgts=share.tolist(), options=options,
    )
    parts = np.asarray(membership, np.int64)
    return Answered([(parts[:len(graph.subjects)], parts[len(graph.subjects):])])
