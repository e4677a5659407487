#!/bin/sh
# tests/fuzz/run.sh SECONDS [CORPUS]: builds the libFuzzer target with clang, ASan and UBSan, and fuzzes the front end.
# The corpus starts from SPIN's examples and models/, where they are installed; it is kept in CORPUS. Crashes go to
# tests/fuzz/crashes/, where the test `fuzz` finds them.
set -eu
seconds=${1:?usage: run.sh SECONDS [CORPUS]}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
corpus=${2:-${TMPDIR:-/tmp}/cmc-fuzz-corpus}
build=${CMC_FUZZ_BUILD:-${TMPDIR:-/tmp}/cmc-fuzz-build}

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMC_FUZZ=ON \
  -DCMAKE_CXX_COMPILER="$(command -v clang++ || command -v clang++-14)" >/dev/null
ninja -C "$build" fuzz_compile

mkdir -p "$corpus" "$here/crashes"
find /usr/share/doc/spin/examples "$root/models" "$root/tests" -type f -size -40 \
    \( -name '*.pml' -o -path '*/examples/*' \) 2>/dev/null | while read -r file; do
  seed="$corpus/seed-$(printf '%s' "$file" | tr '/ ' '--')"
  case $file in
    *.gz) gzip -dc "$file" > "$seed" ;;
    *) cp "$file" "$seed" ;;
  esac
done

exec "$build/fuzz_compile" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=20000 \
  -dict="$here/promela.dict" -artifact_prefix="$here/crashes/" -print_final_stats=1 "$corpus"
