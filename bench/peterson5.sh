#!/bin/sh
# The blocking protocol of Peterson with five processes, without reductions, to its end: 3,895,877,031 states,
# 18,371,647,435 transitions, about 45 minutes of CPU time, 8 GB of memory, 10 GB of disk. Start it, stop it as you like
# (Ctrl-C, kill -9, the power switch), and start it again: it goes on with its last checkpoint. What is left is a
# certificate: `cmc-audit --sample 2000000 DIR` looks at a part of it.
#
# Usage: bench/peterson5.sh DIR [OPTIONS]     options of `cmc check` and `cmc resume`: --memory, --threads, --time, ...
#
# The course of the search is in DIR.progress (cmc.progress/1, a line a second), and of its last part also in DIR.log.
# PROCESSES=4 is a rehearsal of ten seconds. KILLS=N kills it N times (kill -9) at random over its way, and has it go on:
# with the seed SEED (default: 1). PARTITIONS=N are other partitions than 1,024, CMC=FILE is another program than build/cmc.
set -eu
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
cmc=${CMC:-$root/build/cmc}
directory=$1
shift
case ${PROCESSES:-5} in
  5) all=3895877031 ;;
  4) all=12645068 ;;
  *) all=45915 ;;
esac

# Begins, or goes on, with these further options.
run() {
  if ls "$directory"/manifest.*.json >/dev/null 2>&1; then
    exec "$cmc" resume "$directory" --log "$directory.log" --progress json "$@" 2>>"$directory.progress"
  fi
  exec "$cmc" check "-DN=${PROCESSES:-5}" --property safety --reductions none --paths off --threads 1 --memory 8G \
    --partitions "${PARTITIONS:-1024}" --certificate "$directory" --checkpoint-every 10m --log "$directory.log" --progress json "$@" \
    "$root/models/peterson/peterson.pml" 2>>"$directory.progress"
}
states_so_far() {
  tail -n 5 "$directory.progress" 2>/dev/null |
    awk '/^kill/ { n = 0 } /"event":"progress"/ { n = $0; sub(/.*"states":/, "", n); sub(/,.*/, "", n) } END { printf "%.0f\n", n }'
}

# At so many states it is killed.
moments=$(awk -v seed="${SEED:-1}" -v kills="${KILLS:-0}" -v all="$all" \
  'BEGIN { srand(seed); for (i = 0; i < kills; ++i) printf "%.0f\n", rand() * all }' | sort -n)
for moment in $moments; do
  run "$@" &
  search=$!
  trap 'kill $search' INT TERM
  while kill -0 "$search" 2>/dev/null; do
    sleep 1
    states=$(states_so_far)
    if [ "$states" -ge "$moment" ]; then
      echo "kill -9 at $states states" | tee -a "$directory.progress"
      kill -9 "$search"
    fi
  done
  code=0
  wait "$search" || code=$?
  trap - INT TERM
  [ "$code" -eq 137 ] || exit "$code"
done
run "$@"
