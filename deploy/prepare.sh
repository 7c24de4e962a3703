#!/bin/sh
# Makes what compose.yaml needs and no repository may hold: the databases' passwords in .env, and the proxy's certificate
# in deploy/secrets. What is there already stays as it is.
set -eu
umask 077
cd "$(dirname "$0")/.."
[ -e deploy/secrets/proxy.pem ] || deploy/make-certificates.sh deploy/secrets
touch .env
for region in UK CA; do
  grep -q "^${region}_DATABASE_PASSWORD=" .env || echo "${region}_DATABASE_PASSWORD=$(openssl rand -hex 24)" >> .env
done
