#!/bin/sh
# Deploys a folder to a site through a Sitehost, from CI. Needs curl 7.76, jq and sha256sum. In the environment:
#   SITEHOST_URL      the Sitehost, such as https://sitehost.example
#   SITEHOST_SITE     the name of the site
#   SITEHOST_FOLDER   what to publish; default: the current folder
#   SITEHOST_PREVIEW  makes a preview with this alias, such as pr-12; empty: publishes
#   SITEHOST_REMOVE   removes the previews with this alias, and publishes nothing
#   SITEHOST_TOKEN    a deploy token; without one, the job's own token is exchanged for one:
#   SITEHOST_ACCOUNT  the owner of the site, a handle or a DID
#   SITEHOST_ID_TOKEN the job's OpenID Connect token; GitHub's and Forgejo's is fetched if it is not set
# Prints the address of what was published, if something was.
set -eu
umask 077

fail() {
  echo "deploy: $1" >&2
  exit 1
}

url=${SITEHOST_URL:?} site=${SITEHOST_SITE:?}
url=${url%/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Secrets are sent from files: other processes can read arguments.
call() {
  rm -f "$work/answer"
  curl -s --retry 5 --fail-with-body -o "$work/answer" -H "@$work/headers" "$@" && return
  refused
}

refused() {
  fail "$(jq -er .error "$work/answer" 2>/dev/null || echo 'no answer that can be used; is the address right?')"
}

id_token() {
  if [ -n "${SITEHOST_ID_TOKEN:-}" ]; then
    printf %s "$SITEHOST_ID_TOKEN"
    return
  fi
  [ -n "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ] || fail 'set SITEHOST_TOKEN, or let the job have an OpenID Connect token'
  printf 'Authorization: Bearer %s\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" >"$work/headers"
  call "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$url"
  jq -r .value "$work/answer"
}

token=${SITEHOST_TOKEN:-}
if [ -z "$token" ]; then
  id_token >"$work/id-token"
  echo 'Content-Type: application/json' >"$work/headers"
  jq -n --rawfile token "$work/id-token" --arg account "${SITEHOST_ACCOUNT:?}" --arg site "$site" \
    '{ $account, $site, token: ($token | rtrimstr("\n")) }' >"$work/body"
  call --data-binary "@$work/body" "$url/api/tokens/exchange"
  token=$(jq -r .secret "$work/answer")
fi
printf 'Authorization: Bearer %s\n' "$token" >"$work/headers"

if [ -n "${SITEHOST_REMOVE:-}" ]; then
  alias=$(jq -rn --arg alias "$SITEHOST_REMOVE" '$alias | @uri')
  # 409: the site is being published. What a merge publishes arrives with the end of its pull request.
  for _ in $(seq 300); do
    status=$(curl -s --retry 5 -o "$work/answer" -w '%{http_code}' -H "@$work/headers" \
      --request DELETE "$url/api/site/$site/previews/$alias") || true
    [ "$status" = 409 ] || break
    sleep 1
  done
  [ "$status" = 200 ] || refused
  exit
fi

cd "${SITEHOST_FOLDER:-.}"
# SHA-256, size and path, with tabs between them.
find . -name .git -prune -o -type f -exec sh -c '
  for file; do
    printf "%s\t%s\t%s\n" "$(sha256sum <"$file" | cut -c 1-64)" "$(($(wc -c <"$file")))" "${file#./}"
  done' sh {} + >"$work/files"
jq -n --rawfile files "$work/files" --arg alias "${SITEHOST_PREVIEW:-}" '
  { files: [$files | split("\n")[] | select(. != "") | split("\t")
      | { sha256: .[0], size: (.[1] | tonumber), path: (.[2:] | join("\t")) }] }
  + if $alias == "" then {} else { preview: { $alias } } end' >"$work/body"

call --data-binary "@$work/body" "$url/api/site/$site/deploys"
deploy=$(jq -r .deployId "$work/answer")
jq -r '.missing[]' "$work/answer" >"$work/missing"
while read -r sha256; do
  file=$(awk -F '\t' -v wanted="$sha256" '$1 == wanted { sub(/^[^\t]*\t[^\t]*\t/, ""); print; exit }' "$work/files")
  call --upload-file "./$file" "$url/api/deploys/$deploy/files/$sha256"
done <"$work/missing"
call --request POST "$url/api/deploys/$deploy/commit"

state=publishing
for _ in $(seq 300); do
  call "$url/api/deploys/$deploy"
  state=$(jq -r .state "$work/answer")
  [ "$state" = publishing ] || break
  sleep 1
done
[ "$state" = published ] || fail "$(jq -r '.error // "it is not published after five minutes"' "$work/answer")"
jq -r '.result | .previewUrl // .url' "$work/answer"
