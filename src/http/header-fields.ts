/** Names are lower case and unique, except `set-cookie`; values are visible ASCII and spaces. */
export type HeaderList = (readonly [name: string, value: string])[]

/** RFC 9110 §5.6.2. */
export function isFieldName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text)
}

/** Visible ASCII and spaces: cannot end the field and begin another. */
export function isFieldValue(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

/** Why a site cannot set or remove a field on any domain; null: it can. `name`: lower case. */
export function describeRefusedField(name: string): string | null {
  const known = withDashes(name)
  if (known === 'basic-auth')
    return 'password protection is not supported, and this would reveal the password'
  const isRefused = neverSettable.has(known) || known.startsWith('x-accel-')
  return isRefused ? 'this header cannot be set by a site' : null
}

/** Whether a field affects a whole domain, and so is sent only on custom domains. */
export function isForOwnDomain(name: string): boolean {
  return ownDomainOnly.has(withDashes(name))
}

/** How two values of one field combine: only the later one, joined in one line, or in separate lines. */
export function combinationOf(name: string): 'later' | 'joined' | 'separate' {
  // RFC 6265 §3: a comma does not separate cookies.
  if (name === 'set-cookie') return 'separate'
  return singleValued.has(name) ? 'later' : 'joined'
}

/** CGI reads `Content_Length` as `Content-Length` (RFC 3875 §4.1.18). */
const withDashes = (name: string): string => name.replaceAll('_', '-')

/** Only the server frames, describes and routes responses (RFC 9110 §6.4, §7.6.1, §8, §10). */
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
  // Outlasts the site, like `public-key-pins`, and has no other use.
  'public-key-pins-report-only',
  'server',
  // RFC 2965 is historic.
  'set-cookie2',
  // CGI takes it for the response's status.
  'status',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // A proxy in front of us would obey and send a file of its own.
  'x-lighttpd-send-file',
  'x-litespeed-location',
  'x-reproxy-url',
  'x-sendfile',
  'x-sendfile2',
  // Ours: they identify the record that the bytes come from.
  'x-sitehost-record',
  'x-sitehost-version',
])

/** On the shared base domain they would affect other sites, or outlast this one. */
const ownDomainOnly = new Set([
  'clear-site-data',
  'nel',
  'public-key-pins',
  'report-to',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
])

/** Fields that are not lists: joined values would be invalid. */
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
