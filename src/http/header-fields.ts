/** Names are lower case and come once, `set-cookie` excepted; values are visible ASCII and spaces. */
export type HeaderList = (readonly [name: string, value: string])[]

/** RFC 9110 §5.6.2. */
export function isFieldName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text)
}

/** Visible ASCII and spaces: nothing that could end a field and begin another. */
export function isFieldValue(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

/** Why a site cannot set or remove a field, wherever it is served; null when it can. Lower-case names. */
export function describeRefusedField(name: string): string | null {
  const known = withDashes(name)
  if (known === 'basic-auth')
    return 'a password is not asked for, and this would tell it to everyone'
  const isRefused = neverSettable.has(known) || known.startsWith('x-accel-')
  return isRefused ? 'this header cannot be set by a site' : null
}

/** Whether a field says something about all of a domain, and so is only sent on an owner's own. */
export function isForOwnDomain(name: string): boolean {
  return ownDomainOnly.has(withDashes(name))
}

/** How two values of one field are both sent: the later one alone, in one line, or in two. */
export function combinationOf(name: string): 'later' | 'joined' | 'separate' {
  // RFC 6265 §3: a comma does not separate cookies.
  if (name === 'set-cookie') return 'separate'
  return singleValued.has(name) ? 'later' : 'joined'
}

/** `Content_Length` is `Content-Length` to whatever reads headers as CGI does (RFC 3875 §4.1.18). */
const withDashes = (name: string): string => name.replaceAll('_', '-')

/** What frames, describes or routes an answer is the server's to say (RFC 9110 §6.4, §7.6.1, §8, §10). */
const neverSettable = new Set([
  'accept-ranges',
  'age',
  'allow',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'date',
  'etag',
  'keep-alive',
  'last-modified',
  'location',
  'proxy-connection',
  // It outlasts the site, as the other of its name does, and is good for nothing else.
  'public-key-pins-report-only',
  'server',
  // RFC 2965 is historic: nothing but confusion comes of it.
  'set-cookie2',
  // What CGI takes for the answer's own.
  'status',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Orders to the server in front of us, which would answer with a file of its own.
  'x-lighttpd-send-file',
  'x-litespeed-location',
  'x-reproxy-url',
  'x-sendfile',
  'x-sendfile2',
  // Our word for whose bytes these are.
  'x-sitehost-record',
  'x-sitehost-version',
])

/** Under the domain that all sites share they would touch the sites of others, or outlast this one. */
const ownDomainOnly = new Set([
  'clear-site-data',
  'nel',
  'public-key-pins',
  'report-to',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
])

/** Fields whose definition knows no list, so that joined values would be no value. */
const singleValued = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-max-age',
  'content-disposition',
  'content-location',
  'content-type',
  'cross-origin-embedder-policy',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'deprecation',
  'expires',
  'nel',
  'origin-agent-cluster',
  'refresh',
  'retry-after',
  'service-worker-allowed',
  'sourcemap',
  'strict-transport-security',
  'sunset',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-ua-compatible',
  'x-xss-protection',
])
