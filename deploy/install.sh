#!/bin/sh
# Installs the one-file binary of Sitehost's command line for this user, without root:
#   curl -fsSL <releases>/v<version>/install.sh | sh
# Settings:
#   SITEHOST_VERSION      which version                                       (that of this script)
#   SITEHOST_RELEASES     address of the folder that has a folder of each version
#   SITEHOST_PROGRAM      sitehost, or sitehost-service, which also runs a service           (sitehost)
#   SITEHOST_INSTALL_DIR  where to                                                      (~/.local/bin)
set -eu

fail() {
  echo "sitehost: $*" >&2
  exit 1
}

platform() {
  system=$(uname -s)
  case $system in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no binary for $system here; for Windows, download the .exe of the release" ;;
  esac
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no binary for $machine; the package for Node runs everywhere" ;;
  esac
  if [ "$system" = linux ] && ldd --version 2>&1 | grep -qi musl; then
    fail "the binaries need glibc; the package for Node runs everywhere"
  fi
  echo "$system-$machine"
}

download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 2 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null; then
    wget -qO "$2" "$1" || fail "cannot download $1"
  else
    fail "curl or wget is needed"
  fi
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# All of it is one function: of a download that was cut off, nothing runs.
install_sitehost() {
  version=${SITEHOST_VERSION:-@VERSION@}
  releases=${SITEHOST_RELEASES:-@RELEASES@}
  program=${SITEHOST_PROGRAM:-sitehost}
  folder=${SITEHOST_INSTALL_DIR:-$HOME/.local/bin}
  case $releases in
    http://* | https://*) ;;
    *) fail "set SITEHOST_RELEASES to the address of the folder with the releases" ;;
  esac
  case $version in *[!0-9A-Za-z.-]* | '' | .*) fail "SITEHOST_VERSION is not a version: $version" ;; esac
  case $program in sitehost | sitehost-service) ;; *) fail "SITEHOST_PROGRAM: sitehost or sitehost-service" ;; esac

  name=$program-$(platform).gz
  from=${releases%/}/v$version
  mkdir -p "$folder"
  # In the same folder, so that the last step is a rename: a program that runs is replaced at once, or not at all.
  temporary=$(mktemp -d "$folder/.sitehost.XXXXXX")
  trap 'rm -rf "$temporary"' EXIT
  trap 'exit 130' INT TERM
  download "$from/SHA256SUMS" "$temporary/SHA256SUMS"
  expected=$(awk -v name="$name" '$2 == name { print $1 }' "$temporary/SHA256SUMS")
  [ -n "$expected" ] || fail "$from/SHA256SUMS does not have $name"
  download "$from/$name" "$temporary/$name"
  [ "$(sha256 "$temporary/$name")" = "$expected" ] || fail "$name is not what SHA256SUMS names; nothing was installed"
  gunzip -c "$temporary/$name" > "$temporary/$program"
  chmod 755 "$temporary/$program"
  "$temporary/$program" --version >/dev/null || fail "$name does not run on this machine; nothing was installed"
  mv -f "$temporary/$program" "$folder/$program"
  echo "Installed $folder/$program, version $version."
  case ":$PATH:" in *":$folder:"*) ;; *) echo "Add $folder to your PATH." ;; esac
}

install_sitehost
