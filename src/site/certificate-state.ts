/** Why a name has no certificate yet, or its certificate is not renewed. */
export const certificateProblems = [
  'elsewhere',
  'dns',
  'caa',
  'connection',
  'wrong-answer',
  'rejected-name',
  'rate-limit',
  'account',
  'away',
  'other',
] as const

export type CertificateProblem = (typeof certificateProblems)[number]

export const certificateStates = [
  'waiting-for-dns',
  'ordered',
  'refused',
  'valid',
  'expired',
] as const

/** What is stored of a name's certificate; times in milliseconds. */
export interface CertificateFacts {
  /** Whether it is ordered and renewed. */
  readonly isWanted: boolean
  /** Null: none was issued yet. */
  readonly validUntil: number | null
  /** When it is ordered, for the first time or again. */
  readonly dueAt: number
  /** Of the last order; null: it succeeded, or there was none. */
  readonly problem: CertificateProblem | null
  /** The authority's words, or the DNS record in the way. */
  readonly detail: string | null
}

/** A name's certificate, as its owner and the operator see it. */
export interface CertificateState {
  readonly state: (typeof certificateStates)[number]
  readonly validUntil: number | null
  /** When it is ordered or renewed; null: now, or never. */
  readonly nextTryAt: number | null
  readonly problem: CertificateProblem | null
  readonly detail: string | null
}

/** Null: the name has no certificate and is to have none. */
export function certificateState(facts: CertificateFacts, now: number): CertificateState | null {
  const { detail, dueAt, isWanted, problem, validUntil } = facts
  if (!isWanted && validUntil === null) return null
  return {
    state: validUntil === null ? withoutOne(problem) : validUntil > now ? 'valid' : 'expired',
    validUntil,
    nextTryAt: isWanted && dueAt > now ? dueAt : null,
    problem,
    detail,
  }
}

function withoutOne(problem: CertificateProblem | null): CertificateState['state'] {
  if (problem === null) return 'ordered'
  return problem === 'elsewhere' ? 'waiting-for-dns' : 'refused'
}

/** What is wrong and what to do, in English. */
export const certificateAdvice: Readonly<Record<CertificateProblem, (host: string) => string>> = {
  elsewhere: (host) =>
    `The DNS of ${host} does not point here yet: correct its CNAME, ALIAS, A or AAAA records.`,
  dns: (host) =>
    `The certificate authority cannot look up ${host}: check the domain’s name servers and its DNSSEC.`,
  caa: (host) =>
    `A CAA record forbids certificates for ${host}: allow this service’s certificate authority in it, or delete it.`,
  connection: (host) =>
    `The certificate authority cannot connect to ${host} at port 80: delete A and AAAA records that point elsewhere, and let no firewall or proxy stand in between.`,
  'wrong-answer': (host) =>
    `Another server answered the certificate authority for ${host}: delete A and AAAA records that point elsewhere, and switch off proxies of the DNS provider.`,
  'rejected-name': (host) =>
    `The certificate authority issues no certificates for ${host}: use another name.`,
  'rate-limit': (host) =>
    `The certificate authority issues no more certificates for now: ${host} gets its own later, there is nothing to do.`,
  account: (host) =>
    `The certificate authority does not accept this service’s account: its operator has to correct that before ${host} gets a certificate.`,
  away: (host) =>
    `The certificate authority does not answer: ${host} gets its certificate later. If it stays so, sitehost doctor says why to this service’s operator.`,
  other: (host) =>
    `The certificate authority refused ${host}: its words say why, and it is asked again later.`,
}
