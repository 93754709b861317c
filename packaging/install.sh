#!/bin/sh
# Installs Muster from the folder of a release on a web server, or upgrades it:
#
#   sh install.sh [--prefix DIR] [--deb] ADDRESS
#
#   ADDRESS       of the folder, such as https://downloads.example.org/muster
#   --prefix DIR  installs DIR/bin/muster instead of /usr/local/bin/muster
#   --deb         installs the Debian package instead, with dpkg
#
# Everything is verified before anything is installed. Plain HTTP is refused except from this machine, or with
# MUSTER_INSECURE_HTTP=1. Exit codes: 1 wrong usage, 2 this machine lacks something, 3 a download failed, 4 the
# signature or a checksum is wrong, 5 the installation failed.
set -eu
umask 022

# The public keys that sign releases, as ssh-keygen reads them. Without any, only checksums are verified.
SIGNERS='@SIGNERS@'

fail() {
  code=$1
  shift
  echo "install.sh: $*" >&2
  exit "$code"
}

usage() {
  fail 1 "$1. Usage: sh install.sh [--prefix DIR] [--deb] ADDRESS"
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# The part of a release that is for this machine: its platform, as the names of executables have it.
platform() {
  case $(uname -m) in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail 2 "there is no executable for the processor $(uname -m)" ;;
  esac
  case $(uname -s) in
    # musl can be installed beside glibc, which alone knows this name.
    Linux)
      if ls /lib/ld-musl-* >/dev/null 2>&1 && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
        echo "linux-$processor-musl"
      else
        echo "linux-$processor"
      fi
      ;;
    Darwin) echo "darwin-$processor" ;;
    *) fail 2 "there is no executable for the system $(uname -s)" ;;
  esac
}

# Whether the address is of this machine, so that nobody else can change what it sends.
is_loopback() {
  host=${1#http://}
  host=${host%%/*}
  case $host in
    *@*) return 1 ;;
    "[::1]" | "[::1]":*) return 0 ;;
  esac
  case ${host%%:*} in
    localhost | 127.0.0.1) return 0 ;;
  esac
  return 1
}

# download NAME: into the temporary folder
download() {
  if has curl; then
    curl --fail --silent --show-error --location --proto "=$protocols" --output "$folder/$1" "$address/$1"
  else
    wget -q -O "$folder/$1" "$address/$1"
  fi || fail 3 "$address/$1 could not be downloaded; nothing was installed"
}

verify_signature() {
  if [ -z "$SIGNERS" ]; then
    echo "install.sh: this release is not signed: only its checksums are verified" >&2
    return
  fi
  has ssh-keygen || fail 2 "ssh-keygen (Debian: openssh-client), which verifies the signature, is missing"
  download SHA256SUMS.sig
  printf '%s\n' "$SIGNERS" >"$folder/allowed_signers"
  ssh-keygen -Y verify -f "$folder/allowed_signers" -I muster -n muster-release \
    -s "$folder/SHA256SUMS.sig" <"$folder/SHA256SUMS" >"$folder/log" 2>&1 ||
    fail 4 "the signature of SHA256SUMS is wrong; nothing was installed: $(cat "$folder/log")"
}

# verify_checksum NAME
verify_checksum() {
  expected=$(awk -v name="$1" '$2 == name { print $1 }' "$folder/SHA256SUMS")
  if has sha256sum; then actual=$(sha256sum <"$folder/$1"); else actual=$(shasum -a 256 <"$folder/$1"); fi
  [ "${actual%% *}" = "$expected" ] || fail 4 "the SHA-256 of $1 is wrong; nothing was installed"
}

# Replaces the executable in one step: a running Muster keeps the file with which it was started.
install_executable() {
  mkdir -p "$prefix/bin" || fail 5 "$prefix/bin cannot be created"
  partial=$prefix/bin/.muster.$$
  cp "$folder/$name" "$partial" || fail 5 "$prefix/bin cannot be written"
  chmod 755 "$partial"
  case $name in
    *-musl) needed=" (Alpine: apk add libstdc++)" ;;
    *) needed= ;;
  esac
  version=$("$partial" version) || fail 2 "$name does not run on this machine$needed; nothing was installed"
  if [ -e "$prefix/bin/muster" ]; then
    next="A service keeps the previous one until: sudo systemctl restart muster"
  else
    next="Next: sudo $prefix/bin/muster install"
  fi
  mv -f "$partial" "$prefix/bin/muster" || fail 5 "$prefix/bin/muster cannot be replaced"
  echo "Installed Muster $version as $prefix/bin/muster. $next"
}

install_package() {
  dpkg -i "$folder/$name" || fail 5 "dpkg did not install $name"
  echo "Installed $name. Its settings are in /etc/default/muster."
}

main() {
  prefix=/usr/local
  kind=executable
  address=
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix)
        [ $# -gt 1 ] && [ -n "$2" ] || usage "--prefix needs a folder"
        prefix=$2
        shift
        ;;
      --deb) kind=package ;;
      -*) usage "$1 is not an option" ;;
      *)
        [ -z "$address" ] || usage "there is more than one address"
        address=${1%/}
        ;;
    esac
    shift
  done
  case $address in
    "") usage "the address is missing" ;;
    https://*) protocols=https ;;
    http://*)
      is_loopback "$address" || [ "${MUSTER_INSECURE_HTTP:-}" = 1 ] ||
        fail 1 "$address is not an https address. MUSTER_INSECURE_HTTP=1 allows it"
      protocols=http,https
      ;;
    *) usage "$address is not an https address" ;;
  esac
  has curl || has wget || fail 2 "curl or wget is missing"
  has sha256sum || has shasum || fail 2 "sha256sum or shasum is missing"

  case $kind in
    package)
      has dpkg || fail 2 "dpkg, which installs Debian packages, is missing"
      pattern="^muster_[^/]*_$(dpkg --print-architecture)[.]deb$"
      ;;
    executable)
      platform=$(platform)
      pattern="^muster-[0-9][^-/]*(-[^/]*)?-$platform$"
      ;;
  esac

  folder=$(mktemp -d)
  partial=
  trap 'rm -rf "$folder" ${partial:+"$partial"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  download SHA256SUMS
  verify_signature
  # The signed list says what the release has: a server cannot offer another file.
  name=$(awk -v pattern="$pattern" '$2 ~ pattern { print $2 }' "$folder/SHA256SUMS")
  case $name in
    "") fail 2 "this release has no $kind for this machine" ;;
    *"
"*) fail 4 "SHA256SUMS names more than one $kind for this machine" ;;
  esac
  download "$name"
  verify_checksum "$name"
  "install_$kind"
}

# The last line: a script that was cut off on its way does nothing.
main "$@"
