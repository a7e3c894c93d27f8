import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { readCertificateStatus } from './certificate-status.ts'

test('files are counted, or the one is named that cannot be read', async () => {
  await using database = await memoryDatabase()
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-certificate-status-'))
  const files = { chainFile: join(dir, 'chain.pem'), keyFile: join(dir, 'key.pem') }
  const read = () =>
    readCertificateStatus({ tls: { files: [files], ordering: null } }, database.db, Date.now())
  try {
    await Bun.write(files.keyFile, loopbackCertificateKey)
    expect(await read()).toMatchObject({
      states: { valid: 0 },
      filesProblem: `${files.chainFile} cannot be read (ENOENT)`,
    })
    await Bun.write(files.chainFile, loopbackCertificate)
    expect(await read()).toMatchObject({ states: { valid: 1 }, filesProblem: null })
  } finally {
    await rm(dir, { recursive: true })
  }
})
