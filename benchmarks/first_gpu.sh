#!/usr/bin/env bash
# The first minutes on a machine with a GPU, from the project's folder, in two runs of at most ten minutes:
#
#   benchmarks/first_gpu.sh check      # results at large sizes, the tests for a GPU, memory errors: fails where anything is wrong
#   benchmarks/first_gpu.sh measure    # times beside the model's
#
# Output goes to $OUT (`build` without it). It needs CuPy, and the test dependencies of the project.
set -uo pipefail
: "${OUT:=build}"
mkdir -p "$OUT"
export PYTHONPATH=$PWD TADC_CACHE_DIR
TADC_CACHE_DIR=$(mktemp -d)
trap 'rm -rf "$TADC_CACHE_DIR"' EXIT
status=0

nvidia-smi -L
timeout 30 python3 -m tadc doctor
if [ "${1:-check}" = check ]; then
  timeout 150 python3 benchmarks/check_gpu.py 2>&1 | tee "$OUT/check.txt" || status=1
  timeout 300 python3 -m pytest -m gpu -n 12 --dist load -q --maxfail=15 2>&1 | tail -60 | tee "$OUT/tests.txt" || status=1
  if command -v compute-sanitizer > /dev/null; then
    timeout 70 compute-sanitizer --tool memcheck --error-exitcode 1 python3 benchmarks/check_gpu.py --divide 4 \
      --only "convolution, pad" --only "rbf, 64 dimensions" 2>&1 | tail -20 | tee "$OUT/memcheck.txt" || status=1
    timeout 70 compute-sanitizer --tool racecheck --error-exitcode 1 python3 benchmarks/check_gpu.py --divide 4 \
      --only attention 2>&1 | tail -20 | tee "$OUT/racecheck.txt" || status=1
  fi
else
  timeout 200 python3 benchmarks/gpu_measured.py --output "$OUT" | tail -3 || status=1
  timeout 300 python3 benchmarks/gpu.py --points 1e8 --repetitions 7 --output "$OUT" --collisions 1 --collisions 1e3 --collisions 1e6 \
    --only elementwise --only "a wave step, 7 points" --only "softmax of rows" --only "convolution, 16 to 32 channels" || status=1
  if command -v ncu > /dev/null; then
    timeout 100 ncu --clock-control none --set basic -k regex:program_ -c 6 \
      python3 benchmarks/check_gpu.py --only "convolution, pad" > "$OUT/ncu.txt" || status=1
  fi
fi
exit $status
