import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import {
  loopbackCertificate as chain,
  loopbackCertificateKey as key,
} from '#tests/support/servers/loopback-certificate.ts'
import { publicNames } from '#tests/support/servers/self-signed.ts'
import { checkIssued } from './check-issued.ts'

const validUntil = Date.parse(new X509Certificate(chain).validTo)
const issued = { chain, key }

test.each(['a.sites.example', '*.sites.example'])('for %s', (name) => {
  expect(() => checkIssued(issued, name, validUntil - 1)).not.toThrow()
})

const wrong = [
  ['is none', { chain: 'junk', key }, 'a.sites.example', 0],
  ['has another key', { chain, key: publicNames.key }, 'a.sites.example', 0],
  ['is for another name', issued, 'a.example', 0],
  ['is for another name', issued, '*.example', 0],
  ['is not valid any more', issued, 'a.sites.example', validUntil],
] as const
test.each(wrong)('what %s is the authority’s mistake', (why, certificate, name, now) => {
  expect(() => checkIssued(certificate, name, now)).toThrow(
    `the certificate that the authority sent ${why}`,
  )
})
