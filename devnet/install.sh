#!/bin/sh
# Installs devnet's own packages, once: does nothing while they are those of package-lock.json.
# Two of these at once are safe: the second waits for the first. Prints its progress, and failures.
set -eu
cd "$(dirname "$0")"

# The platform belongs to it: a folder shared with a container holds the other system's Node.
wanted="$(uname -sm) $(cat package.json package-lock.json .npmrc | cksum)"
stamp=node_modules/.installed
lock=.install.lock
log=".install.$$.log"
# Within 15 seconds `npm run demo` says that the registry does not answer: the rest is for npm's own starts.
registry_seconds=8
progress=

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

# npm would try for minutes, without a word. Its own start may take long on a busy machine.
registry_answers() {
  npm view @atproto/pds version --prefer-online \
    --fetch-retries=0 --fetch-timeout="${registry_seconds}000" >"$log" 2>&1
}

# `--include=optional`: Node itself is an optional package, one for each platform, and an
# `npm ci --omit=optional` around us would be inherited through the environment.
npm_ci() {
  npm ci --include=optional --loglevel=error "$@" >"$log" 2>&1
}

# One line that is written again and again on a terminal, else a line now and then.
show_progress() {
  every=10
  format='  %s of about 450 MB after %s s\n'
  if [ -t 2 ]; then
    every=1
    format='\r  %s of about 450 MB after %s s'
  fi
  seconds=0
  while sleep 1; do
    seconds=$((seconds + 1))
    [ $((seconds % every)) -eq 0 ] || continue
    megabytes=$(du -sm node_modules 2>/dev/null | cut -f1)
    # shellcheck disable=SC2059
    printf "$format" "${megabytes:-0}" "$seconds" >&2
  done
}

if is_installed; then exit 0; fi
if ! [ -w . ]; then
  echo "devnet: cannot write to $PWD" >&2
  exit 1
fi
take_lock
trap 'rm -f "$lock" "$log"; [ -z "$progress" ] || kill "$progress"' EXIT
trap 'exit 130' HUP INT TERM
if is_installed; then exit 0; fi

echo 'Installing the packages of the development network, once (about 450 MB) …' >&2

if registry_answers; then
  show_progress &
  progress=$!
  is_failed=
  npm_ci || is_failed=1
  kill "$progress"
  progress=
  [ ! -t 2 ] || echo >&2
  if [ -n "$is_failed" ]; then
    cat "$log" >&2
    echo 'devnet: npm ci failed' >&2
    exit 1
  fi
elif ! npm_ci --offline; then
  # Nor does npm's cache hold them.
  echo "devnet: no connection to the package registry, $(npm config get registry): connect this machine" \
    "to the network, or name a registry that it reaches (npm config set registry <url>), and start again" >&2
  exit 1
fi
echo "$wanted" >"$stamp"
