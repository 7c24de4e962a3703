#!/bin/sh
# Makes a certificate authority for trying things out, and the proxy's certificate for the host names of both regions.
# Usage: deploy/make-certificates.sh FOLDER writes FOLDER/ca.pem, for clients, and FOLDER/proxy.pem, with its private key.
set -eu
umask 077
mkdir -p "$1"
cd "$1"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 365 -subj '/CN=Document Analysis trial CA' \
  -addext 'basicConstraints=critical,CA:true,pathlen:0' -addext 'keyUsage=critical,keyCertSign' \
  -keyout ca.key -out ca.pem 2> openssl.log || { cat openssl.log >&2; exit 1; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 365 -subj '/CN=document-analysis.example' \
  -CA ca.pem -CAkey ca.key -addext 'basicConstraints=critical,CA:false' -addext 'extendedKeyUsage=serverAuth' \
  -addext "subjectAltName=$(printf 'DNS:%s.document-analysis.example,' api.uk cases.uk api.ca)DNS:cases.ca.document-analysis.example" \
  -keyout proxy.key -out proxy.crt 2> openssl.log || { cat openssl.log >&2; exit 1; }
cat proxy.crt proxy.key > proxy.pem
# The proxy's own user reads it in its container; on this machine the folder keeps others out.
chmod 644 proxy.pem
rm ca.key proxy.crt proxy.key openssl.log
