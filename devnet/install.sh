#!/bin/sh
# Installs devnet's own packages, once: does nothing while they are those of package-lock.json.
# Two of these at once are safe: the second waits for the first. Prints what takes long, and failures.
set -eu
cd "$(dirname "$0")"

# The platform belongs to it: a folder shared with a container holds the other system's Node.
wanted="$(uname -sm) $(cat package.json package-lock.json .npmrc | cksum)"
stamp=node_modules/.installed
lock=.install.lock
log=".install.$$.log"

is_installed() {
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]
}

# A symbolic link is made atomically and carries the owner's process id, which tells a lock in use
# from one that a killed installation left behind.
take_lock() {
  until ln -s "$$" "$lock" 2>/dev/null; do
    owner=$(readlink "$lock") || continue
    if kill -0 "$owner" 2>/dev/null; then
      sleep 1
    else
      rm -f "$lock"
    fi
  done
}

if is_installed; then exit 0; fi
if ! [ -w . ]; then
  echo "devnet: cannot write to $PWD" >&2
  exit 1
fi
take_lock
trap 'rm -f "$lock" "$log"' EXIT
trap 'exit 130' HUP INT TERM
if is_installed; then exit 0; fi

echo 'Installing the packages of the development network, once (about 450 MB) …' >&2

# `--include=optional`: Node itself is an optional package, one for each platform, and an
# `npm ci --omit=optional` around us would be inherited through the environment.
if ! npm ci --include=optional --loglevel=error >"$log" 2>&1; then
  cat "$log" >&2
  echo 'devnet: npm ci failed' >&2
  exit 1
fi
echo "$wanted" >"$stamp"
