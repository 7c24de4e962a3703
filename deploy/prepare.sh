#!/bin/sh
# Makes what compose.yaml needs and no repository may hold, in deploy/secrets: for each region the URLs of its data stores with
# their passwords, and the proxy's certificate. What is there already stays as it is.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
[ -e secrets/proxy.pem ] || ./make-certificates.sh secrets

password() { openssl rand -hex 24; }
# As a built-in command, printf has no arguments that others on this machine could see.
keep() { [ -e "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }

for region in uk ca; do
  keep "$region-postgres-password" "$(password)"
  keep "$region-owner-url" "postgres://document_analysis_owner:$(password)@$region-postgres:5432/document_analysis"
  keep "$region-server-url" "postgres://document_analysis_server:$(password)@$region-postgres:5432/document_analysis"
  keep "$region-redis-url" "redis://document-analysis:$(password)@$region-valkey:6379/0"
  # Whoever has no password may only ask whether Valkey runs. Servers may count.
  hash=$(sed 's|.*:\([^:@]*\)@.*|\1|' "secrets/$region-redis-url" | tr -d '\n' | openssl dgst -sha256 -r | cut -d ' ' -f 1)
  cat > "secrets/$region-valkey-users" << END
user default on nopass resetkeys resetchannels -@all +ping
user document-analysis on #$hash ~document-analysis:* resetchannels -@all +info +eval +evalsha +set +incrby +pttl +expire
END
done
# Each container's own user reads its files; on this machine the folder keeps others out.
chmod 700 secrets
chmod 644 secrets/*
