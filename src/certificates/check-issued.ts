import { createPrivateKey, X509Certificate } from 'node:crypto'
import { AcmeProblemError } from './acme/acme-problem.ts'
import type { Certificate } from './certificate.ts'

/** Throws AcmeProblemError if what an authority sent is no certificate of this name and key, or is not valid any more. */
export function checkIssued({ chain, key }: Certificate, name: string, now: number): void {
  const certificate = parse(chain)
  if (certificate === null) throw unusable('is none')
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw unusable('has another key')
  // Of a wildcard: any name that it covers.
  if (certificate.checkHost(name.replace('*', 'any')) === undefined) {
    throw unusable('is for another name')
  }
  if (!(Date.parse(certificate.validTo) > now)) throw unusable('is not valid any more')
}

const unusable = (why: string) =>
  new AcmeProblemError('unusable', `the certificate that the authority sent ${why}`)

function parse(chain: string): X509Certificate | null {
  try {
    return new X509Certificate(chain)
  } catch {
    // It has no error class of its own.
    return null
  }
}
