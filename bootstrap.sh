#!/bin/sh
# From a fresh Debian 12 machine to a verdict, or to a full test run.
#
#   ./bootstrap.sh check MODEL [ARGUMENTS]   install what is missing, build, run `cmc check MODEL ARGUMENTS`
#   ./bootstrap.sh test [ARGUMENTS]          install what is missing, build, run the rings quick and full (tests/README.md)
#   ./bootstrap.sh nightly [PART...]         install what is missing, build, run the ring nightly, then sanitizers, fuzzing,
#                                            random models and mutants, or only these parts; of long comparisons the part of the
#                                            day, with --all all (--list: what the parts are)
#
# The program is build/cmc afterwards. Everything that is not the output of cmc, ctest or the parts goes to stderr.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build="$root/build"

build_packages='g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev libssl-dev libxxhash-dev zlib1g-dev
  libzmq3-dev cppzmq-dev libz3-dev'
test_packages='catch2 python3 python3-jsonschema spin gcc tcc gnuplot-nox clang-format strace pybind11-dev python3-dev'
nightly_packages='clang clang-tidy libclang-rt-14-dev neovim openmpi-bin libopenmpi-dev mpich libmpich-dev chromium chromium-driver'

say() { echo "bootstrap: $*" >&2; }

fail() {
  say "$@"
  exit 2
}

usage() {
  sed -n '2,10s/^# \{0,1\}//p' "$0"
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs those of the named Debian packages that are missing; touches nothing if none is.
install_missing() {
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    say "this is not a Debian system; going on with what is there (needed: $*)"
    return
  fi
  missing=
  for package in "$@"; do
    is_installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0

  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
      fail "these packages are missing, and there is neither root nor sudo to install them:$missing"
    as_root=sudo
  fi
  say "installing$missing"
  log=$(mktemp)
  # The package lists of a fresh machine or container are often empty or old.
  $as_root apt-get update >"$log" 2>&1 || say "apt-get update failed; trying with the package lists that are there"
  # shellcheck disable=SC2086  # a list of words
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install:$missing"
  fi
  rm -f "$log"
}

# As many compilers as there are processors and 2 GB of memory for each.
jobs() {
  processors=$(nproc 2>/dev/null || echo 1)
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 2000000) }' /proc/meminfo 2>/dev/null || echo 1)
  [ -n "$by_memory" ] && [ "$by_memory" -ge 1 ] || by_memory=1
  [ "$by_memory" -lt "$processors" ] && echo "$by_memory" || echo "$processors"
}

# How far the build is: for a person each second, for a log each minute.
show_progress() {
  seconds=0
  while sleep 1; do
    seconds=$((seconds + 1))
    [ -t 2 ] || [ $((seconds % 60)) -eq 0 ] || continue
    so_far=$(tail -n 1 "$build/build.log" | sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/\1 of \2 steps/p')
    [ -n "$so_far" ] || continue
    if [ -t 2 ]; then printf '\rbootstrap: %s\033[K' "$so_far" >&2; else say "$so_far"; fi
  done
}

# build TESTING TARGETS...
build_targets() {
  testing=$1
  shift
  cache="$build/CMakeCache.txt"
  # A folder that was configured elsewhere or in another way would be refused by cmake.
  if [ -f "$cache" ] && ! { grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
    grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache"; }; then
    rm -rf "$cache" "$build/CMakeFiles"
  fi
  mkdir -p "$build"
  if ! (cd "$root" && cmake --preset release "-DBUILD_TESTING=$testing" -DCMC_JOINED=ON) >"$build/configure.log" 2>&1; then
    cat "$build/configure.log" >&2
    fail "cmake could not configure the build; see above"
  fi
  say "building with $(jobs) job(s) into $build"
  : >"$build/build.log"
  show_progress &
  progress=$!
  status=0
  cmake --build "$build" -j "$(jobs)" --target "$@" >"$build/build.log" 2>&1 || status=$?
  kill "$progress" 2>/dev/null || :
  wait "$progress" 2>/dev/null || :
  [ ! -t 2 ] || printf '\r\033[K' >&2
  [ "$status" -eq 0 ] || {
    grep -v '^\[[0-9]*/[0-9]*\] [A-Z]' "$build/build.log" | head -n 100 >&2
    fail "the build failed; all of its output: $build/build.log"
  }
}

case "${1-}" in
  check)
    shift
    # shellcheck disable=SC2086  # a list of words
    install_missing $build_packages
    build_targets OFF cmc
    exec "$build/cmc" check "$@"
    ;;
  test)
    shift
    # shellcheck disable=SC2086  # a list of words
    install_missing $build_packages $test_packages
    build_targets ON all
    cd "$build"
    # One more than there are processors: many tests wait for files and for other processes.
    exec ctest --output-on-failure -LE nightly -j "$(($(nproc 2>/dev/null || echo 1) + 1))" "$@"
    ;;
  nightly)
    shift
    # shellcheck disable=SC2086  # a list of words
    install_missing $build_packages $test_packages $nightly_packages
    python3 -B "$root/tests/nightly.py" --list "$@" >&2 # or a part that does not exist
    case " $* " in *" --list "*) exit 0 ;; esac
    build_targets ON all
    exec python3 -B "$root/tests/nightly.py" "$@"
    ;;
  -h | --help)
    usage
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
