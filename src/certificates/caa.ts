import type { LookUp } from '#outbound/dns/look-up.ts'

/** A certificate authority, as CAA records name it. */
export interface CaaIssuer {
  /** Any of them allows it. */
  readonly identities: readonly string[]
  /** URL of our account there (RFC 8657). */
  readonly accountUrl: string | null
  /** How we prove that the name is ours (RFC 8657). */
  readonly method: string
}

interface CaaRecord {
  readonly flags: number
  readonly tag: string
  readonly value: string
}

interface RelevantRecords {
  /** The name that has them: the host or one above it. */
  readonly owner: string
  readonly records: readonly CaaRecord[]
}

/** For a name and all above it, of which it may have a hundred. */
const climbMsMax = 10_000

const critical = 128
const knownTags = new Set([
  'issue',
  'issuewild',
  'iodef',
  'contactemail',
  'contactphone',
  'issuemail',
  'issuevmc',
])

/**
 * What in the DNS forbids this authority to issue for a host or a wildcard (RFC 8659), for its owner to read; null: nothing. Null too where no
 * name server answers, or not within `withinMs`: the authority looks itself.
 */
export async function caaProblem(
  host: string,
  issuer: CaaIssuer,
  lookUp: LookUp,
  {
    signal,
    withinMs = climbMsMax,
  }: { readonly signal?: AbortSignal; readonly withinMs?: number } = {},
): Promise<string | null> {
  const domain = host.replace(/^\*\./, '')
  const limit = AbortSignal.timeout(withinMs)
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit])
  const relevant = await relevantRecords(domain, (type, name) => lookUp(type, name, either))
  if (relevant === null || allows(relevant.records, domain !== host, issuer)) return null
  const found = relevant.records.map(({ flags, tag, value }) => `CAA ${flags} ${tag} "${value}"`)
  const [identity = ''] = issuer.identities
  return `${relevant.owner} has ${found.join(', ')}; to allow this service, add CAA 0 issue "${identity}"`
}

/** Those of the nearest name that has any (RFC 8659 §3). Null: there are none, or nobody can tell. */
async function relevantRecords(host: string, lookUp: LookUp): Promise<RelevantRecords | null> {
  for (let owner = host; owner !== ''; owner = owner.split('.').slice(1).join('.')) {
    const answer = await lookUp('CAA', owner)
    if (!answer.answered) return null
    const records = answer.values.map(parseCaa).filter((record) => record !== null)
    if (records.length > 0) return { owner, records }
  }
  return null
}

/** A wildcard is judged by `issuewild`, where there is such a record. */
function allows(records: readonly CaaRecord[], isWildcard: boolean, issuer: CaaIssuer): boolean {
  if (records.some(({ flags, tag }) => (flags & critical) !== 0 && !knownTags.has(tag)))
    return false
  const wild = records.filter(({ tag }) => isWildcard && tag === 'issuewild')
  const issue = wild.length > 0 ? wild : records.filter(({ tag }) => tag === 'issue')
  return issue.length === 0 || issue.some(({ value }) => names(value, issuer))
}

/** `ca.example; accounturi=…; validationmethods=http-01,dns-01`; `;` alone names nobody. */
function names(value: string, { accountUrl, identities, method }: CaaIssuer): boolean {
  const [domain = '', ...parameters] = value.split(';').map((part) => part.trim())
  if (!identities.some((identity) => identity.toLowerCase() === domain.toLowerCase())) return false
  return parameters.every((parameter) => {
    const [name = '', setting = ''] = parameter.split(/=(.*)/s).map((part) => part.trim())
    if (name.toLowerCase() === 'accounturi') return setting === accountUrl
    if (name.toLowerCase() === 'validationmethods') return setting.split(',').includes(method)
    return true
  })
}

/** As look-ups answer it. */
function parseCaa(text: string): CaaRecord | null {
  const [, flags, tag = '', value = ''] = /^(\d{1,3}) ([a-z0-9]+) "(.*)"$/is.exec(text) ?? []
  return flags === undefined ? null : { flags: Number(flags), tag: tag.toLowerCase(), value }
}
