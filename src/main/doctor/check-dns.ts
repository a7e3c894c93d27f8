import { challengeName } from '#certificates/dns/challenge-zone.ts'
import { missingDelegation } from '#certificates/dns-problem.ts'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'

interface Hosts {
  /** The application's host name. */
  readonly application: string
  readonly baseDomain: string
  /** Whether it answers the challenges for a wildcard of the base domain. */
  readonly answersDns: boolean
}

/** The names of a public service, each with the addresses that the name servers know. */
export async function checkDns(
  { answersDns, application, baseDomain }: Hosts,
  lookUp: LookUp,
): Promise<Finding[]> {
  const label = `doctor-${crypto.randomUUID().slice(0, 8)}`
  const [ours, base, wildcard, targets] = await Promise.all([
    addressesOf(application, lookUp),
    addressesOf(baseDomain, lookUp),
    addressesOf(`${label}.${baseDomain}`, lookUp),
    addressesOf(`${label}.dns.${baseDomain}`, lookUp),
  ])
  return [
    judge(application, ours, ours),
    judge(baseDomain, base, ours),
    judge(`*.${baseDomain}`, wildcard, ours),
    judge(`*.dns.${baseDomain}`, targets, ours),
    ...(answersDns ? [await checkDelegation(baseDomain, application, lookUp)] : []),
  ]
}

/** Sorted; null: no name server could tell. */
type Addresses = readonly string[] | null

async function addressesOf(name: string, lookUp: LookUp): Promise<Addresses> {
  const answers = await Promise.all([lookUp('A', name), lookUp('AAAA', name)])
  if (!answers.some(({ answered }) => answered)) return null
  return answers.flatMap((answer) => (answer.answered ? answer.values : [])).sort()
}

function judge(name: string, addresses: Addresses, ours: Addresses): Finding {
  if (addresses === null) {
    return warning(
      'DNS',
      `no name server could say where ${name} is`,
      'try again, or choose other name servers with DNS_SERVERS',
    )
  }
  if (addresses.length === 0) {
    return problem('DNS', `${name} has no address`, adviceFor(name, ours ?? []))
  }
  const seen = `${name} is at ${addresses.join(', ')}`
  if (ours === null || ours.length === 0 || addresses.join() === ours.join()) return ok('DNS', seen)
  return warning(
    'DNS',
    seen,
    `the application is at ${ours.join(', ')}: unless both are the same front, correct the records`,
  )
}

/** The records that are missing, as a DNS provider asks for them. */
function adviceFor(name: string, ours: readonly string[]): string {
  if (ours.length === 0)
    return `add A records for ${name}, and AAAA records if it has IPv6, with the addresses of this service`
  const records = ours.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${address}`)
  return `add for ${name}: ${records.join(', ')}`
}

async function checkDelegation(
  baseDomain: string,
  applicationHost: string,
  lookUp: LookUp,
): Promise<Finding> {
  const missing = await missingDelegation(baseDomain, { applicationHost, lookUp })
  const zone = challengeName(baseDomain)
  if (missing === null) return ok('DNS', `${zone} leads to ${applicationHost}`)
  return problem('DNS', `${zone} does not lead to ${applicationHost}`, missing)
}
