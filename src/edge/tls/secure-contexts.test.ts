import { expect, test } from 'bun:test'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { SecureContexts } from './secure-contexts.ts'

test('a certificate is read once, for all its hosts, and again when it has a new version', async () => {
  let [version, reads] = [1, 0]
  const contexts = new SecureContexts({
    placeOf: (host) => (host.endsWith('.example') ? { name: '*.example', version } : null),
    async read() {
      reads += 1
      return { chain: loopbackCertificate, key: loopbackCertificateKey }
    },
  })
  const [one, same] = await Promise.all(
    ['a.example', 'b.example'].map((host) => contexts.contextOf(host)),
  )
  expect(one).toBeDefined()
  expect([same === one, contexts.contextOf('c.example') === one, reads]).toEqual([true, true, 1])
  version = 2
  expect(await contexts.contextOf('a.example')).not.toBe(one)
  expect(reads).toBe(2)
  expect(contexts.contextOf('a.test')).toBeNull()
})

test('one that is gone is no context, and is looked for again', async () => {
  let reads = 0
  const read = async () => {
    reads += 1
    return null
  }
  const contexts = new SecureContexts({ placeOf: (name) => ({ name, version: 1 }), read })
  expect([await contexts.contextOf('a.test'), await contexts.contextOf('a.test')]).toEqual([
    null,
    null,
  ])
  expect(reads).toBe(2)
})
