#!/bin/sh
# The blocking protocol of Peterson with five processes, without reductions, to its end: more than 10^10 states. Start it,
# stop it as you like (Ctrl-C, kill -9, the power switch), and start it again: it goes on with its last checkpoint.
#
# Usage: bench/peterson5.sh DIR [OPTIONS]     options of `cmc check` and `cmc resume`: --memory, --threads, --time, ...
# PROCESSES=4 is a rehearsal of a minute.
set -eu
[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
cmc=${CMC:-$root/build/cmc}
directory=$1
shift
if [ -e "$directory/run.json" ]; then
  exec "$cmc" resume "$directory" "$@"
fi
exec "$cmc" check "-DN=${PROCESSES:-5}" --property safety --reductions none --memory 4G --checkpoint "$directory" \
  --checkpoint-every 10m --log "$directory.log" "$@" "$root/models/peterson/peterson.pml"
