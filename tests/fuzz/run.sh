#!/bin/sh
# tests/fuzz/run.sh SECONDS [TARGET [CORPUS]]: builds a libFuzzer target with clang, ASan and UBSan (the preset `fuzz`), and
# runs it. TARGET is what stands behind `fuzz_` in a name of this folder (default: compile, the front end). The corpus
# starts from what is installed or in the tree; it is kept in CORPUS. Crashes of the front end go to tests/fuzz/crashes/,
# where the test `fuzz` finds them, others to build-fuzz/crashes/TARGET/.
set -eu
seconds=${1:?usage: run.sh SECONDS [TARGET [CORPUS]]}
target=${2:-compile}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
corpus=${3:-${TMPDIR:-/tmp}/cmc-fuzz-corpus-$target}
build=$root/build-fuzz
crashes=$here/crashes
options=
[ -f "$here/fuzz_$target.cc" ] || {
  echo "run.sh: there is no target '$target'" >&2
  exit 2
}

# Seconds of the compiler count here: files in groups.
cmake --preset fuzz -S "$root" -DCMC_JOINED=ON >/dev/null
cmake --build "$build" --target "fuzz_$target"

mkdir -p "$corpus"
# Files that `find` finds with these arguments, none larger than 20 KB.
seeds() {
  find "$@" -type f -size -40 2>/dev/null | while read -r file; do
    seed="$corpus/seed-$(printf '%s' "$file" | tr '/ ' '--')"
    case $file in
      *.gz) gzip -dc "$file" > "$seed" ;;
      *) cp "$file" "$seed" ;;
    esac
  done
}
case $target in
  compile)
    seeds /usr/share/doc/spin/examples "$root/models" "$root/tests" \( -name '*.pml' -o -path '*/examples/*' \)
    options="-dict=$here/promela.dict"
    ;;
  log) seeds "$root/logs" -name '*.log' ;;
  trail)
    if [ -x "$root/build/cmc" ]; then
      for model in "$root"/models/classics/*.pml; do
        "$root/build/cmc" check -q --trail "$corpus/seed-$(basename "$model")" "$model" >/dev/null 2>&1 || :
      done
    fi
    ;;
  request) printf '\7POST /token/do HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Length: 2\r\n\r\n{}' > "$corpus/seed" ;;
  spin_trail) printf -- '-4:-4:-4\n1:0:3\n2:1:5\n-1:-1:-1\n3:2:4\n' > "$corpus/seed" ;;
  smt_commands) printf '(declare-const |a b| (_ BitVec 32))\n(assert (= |a b| #x00000001)) ; "x"\n(check-sat)\n' > "$corpus/seed" ;;
esac
[ "$target" = compile ] || crashes=$build/crashes/$target
mkdir -p "$crashes"

# shellcheck disable=SC2086  # a list of words
exec "$build/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=20000 $options \
  -artifact_prefix="$crashes/" -print_final_stats=1 "$corpus"
