import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { receiveUpload } from '#publish/upload/receive-upload.ts'
import { Spool } from '#publish/upload/spool.ts'

test('60 000 tiny parts of no use are refused', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'upload-parts-'))
  const spool = new Spool(dir)
  await using folder = await spool.open(crypto.randomUUID())
  const part = (name: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
  const parts = `${part('siteName', 'blog')}${part('x', '').repeat(60_000)}--b--`
  const receiving = receiveUpload({
    body: (async function* () {
      yield Buffer.from(parts)
    })(),
    contentType: 'multipart/form-data; boundary=b',
    folder,
    limits: { fileBytesMax: 100, siteBytesMax: 250, siteFilesMax: 1000 },
  })
  await expect(receiving).rejects.toMatchObject({
    reason: 'too-large',
    message: expect.stringContaining('over 50000'),
  })
  await rm(dir, { recursive: true })
})
