import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { publicNames } from '#tests/support/servers/self-signed.ts'
import { certificateNamesOf } from './certificate.ts'
import { CertificateFileError } from './certificate-files.ts'
import { FileCertificates } from './file-certificates.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-certificate-files-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function write(chain: string, key: string) {
  const files = { chainFile: join(dir, 'chain.pem'), keyFile: join(dir, 'key.pem') }
  await Bun.write(files.chainFile, chain)
  await Bun.write(files.keyFile, key)
  return files
}

test('renewed files get a new version; files that cannot be used change nothing', async () => {
  const files = new FileCertificates([await write(loopbackCertificate, loopbackCertificateKey)])
  await files.read()
  await files.read()
  expect(files.version).toBe(1)
  expect(files.find('*.sites.example')).toMatchObject({ chain: loopbackCertificate })
  expect(files.find('blog.sites.example')).toBeNull()

  // Half of a renewal.
  await write(publicNames.certificate, loopbackCertificateKey)
  await expect(files.read()).rejects.toThrow(CertificateFileError)
  expect([files.version, files.find('*.sites.example') !== null]).toEqual([1, true])

  await write(publicNames.certificate, publicNames.key)
  await files.read()
  expect(files.version).toBe(2)
  expect(files.find('*.sites.example')).toBeNull()
  expect(files.find('pds.home.arpa')).toMatchObject({ key: publicNames.key })
})

test.each([
  ['blog.sites.example', ['blog.sites.example', '*.sites.example']],
  ['sites.example', ['sites.example', '*.example']],
  ['localhost', ['localhost']],
])('the names of certificates for %s', (host, names) => {
  expect(certificateNamesOf(host)).toEqual(names)
})
