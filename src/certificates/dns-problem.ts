import type { LookUp } from '#outbound/dns/look-up.ts'
import type { CertificateProblem } from '#site/certificate-state.ts'
import { challengeName } from './dns/challenge-zone.ts'

interface LeadsContext {
  /** A host that certainly leads here. */
  readonly applicationHost: string
  readonly lookUp: LookUp
}

interface DnsProblem {
  readonly problem: Extract<CertificateProblem, 'dns' | 'elsewhere'>
  readonly detail: string | null
}

/** Why an authority would not find us by the DNS; null: it would. */
export async function dnsProblem(name: string, context: LeadsContext): Promise<DnsProblem | null> {
  if (!name.startsWith('*.')) {
    return (await leadsHere(name, context)) ? null : { problem: 'elsewhere', detail: null }
  }
  const missing = await missingDelegation(name, context)
  return missing === null ? null : { problem: 'dns', detail: missing }
}

/** Whether the name has an address of the application's host. False where the DNS does not answer. */
async function leadsHere(
  name: string,
  { applicationHost, lookUp }: LeadsContext,
): Promise<boolean> {
  const addressesOf = async (host: string): Promise<readonly string[]> => {
    const answers = await Promise.all([lookUp('A', host), lookUp('AAAA', host)])
    return answers.flatMap((answer) => (answer.answered ? answer.values : []))
  }
  const [theirs, ours] = await Promise.all([addressesOf(name), addressesOf(applicationHost)])
  return theirs.some((address) => ours.includes(address))
}

/**
 * What is to be done so that the zone of a domain's challenges leads here; null: nothing. Asks for what only we answer, so it proves
 * that our port is reachable, too.
 */
export async function missingDelegation(
  domain: string,
  { applicationHost, lookUp }: LeadsContext,
): Promise<string | null> {
  const zone = challengeName(domain)
  const answer = await lookUp('NS', zone)
  if (answer.answered && answer.values.includes(applicationHost)) return null
  return `add for ${zone}: NS ${applicationHost}; port 53 of it has to be reachable by UDP and TCP`
}
