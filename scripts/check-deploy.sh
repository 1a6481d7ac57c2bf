#!/usr/bin/env bash
# Checks deploy/ as far as that goes without a Docker daemon: the steps of the image are run in a clean clone, and what they
# make is started as the image would start it, with a program folder that is read-only. By hand: it takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp --directory)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT

if docker compose version > /dev/null 2>&1; then
  BOUGH_TOKEN=x POSTGRES_PASSWORD=x docker compose --file deploy/compose.yaml config --quiet
  echo "compose.yaml: fine"
else echo "compose.yaml: not checked, there is no docker compose"; fi

if command -v systemd-analyze > /dev/null; then
  sed 's#^ExecStart=.*#ExecStart=/bin/true#' deploy/bough.service > "$place/bough.service"
  systemd-analyze verify "$place/bough.service"
  systemd-analyze security --offline=true --threshold=20 --no-pager "$place/bough.service" | tail -n 1
else echo "bough.service: not checked, there is no systemd-analyze"; fi

if command -v promtool > /dev/null; then
  promtool check config --syntax-only deploy/monitoring/prometheus.yaml
  promtool check rules deploy/monitoring/alerts.yaml
  promtool test rules deploy/monitoring/alerts.test.yaml
else echo "alerts.yaml: not checked, there is no promtool"; fi

git clone --quiet . "$place/source"
(cd "$place/source" && npm ci --ignore-scripts > /dev/null && npm run pack:cli | tail -n 1)
npm install --global --prefix "$place/usr" --ignore-scripts "$place"/source/packages/cli/dist/pack/*.tgz > /dev/null
node deploy/lay-links.mjs "$place/usr/lib/node_modules/bough"
rm -rf "$place/source"
chmod -R a-w,a+rX "$place/usr"
chmod a+rx "$place"

mkdir "$place/data"
start=("$place/usr/bin/bough" serve)
# As root the program runs as `nobody`, as in the image it runs as `node`.
if [[ $(id -u) == 0 ]]; then
  chown nobody "$place/data"
  start=(setpriv --reuid=nobody --regid=nogroup --clear-groups "${start[@]}")
fi
export PORT=${PORT:-4869} BOUGH_TOKEN=0123456789abcdef0123456789abcdef BOUGH_DATA_DIR=$place/data HOME=$place/data
"${start[@]}" &
server=$!
for _ in $(seq 120); do if node deploy/health.mjs 2> /dev/null; then break; fi; sleep 1; done
node deploy/health.mjs
if BOUGH_TOKEN=wrong node deploy/health.mjs 2> /dev/null; then echo "The health check takes any token." >&2; exit 1; fi
if command -v nginx > /dev/null; then node scripts/check-proxy.mjs "$PORT"
else echo "nginx.conf.template: not checked, there is no nginx"; fi
kill -TERM "$server"
wait "$server"
echo "The image's steps make a program that is served, is healthy and ends."
