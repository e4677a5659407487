#!/bin/sh
# Measures channels between two containers; see README.md. Arguments are handed on to cmc-latency.
set -eu
run=${CONTAINERS:-docker}
folder=$PWD/latency-containers
mkdir -p "$folder"
end() {
  "$run" rm --force cmc-responder >/dev/null 2>&1 || true
  "$run" network rm cmc-latency >/dev/null 2>&1 || true
}
trap end EXIT
"$run" network create cmc-latency >/dev/null
"$run" run --detach --name cmc-responder --network cmc-latency cmc-latency --serve 0.0.0.0:7000 >/dev/null
sleep 2
"$run" run --rm --network cmc-latency --volume "$folder:/out" cmc-latency --peer cmc-responder:7000 --out /out "$@"
