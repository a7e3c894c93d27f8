import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFolder } from '#cli/folder/folder-listing.ts'
import { readFolderVersion } from '#cli/preview/folder-version.ts'
import { StoredFiles } from '#cli/preview/stored-files.ts'
import { snapshotBytesMax } from '#site/limits.ts'

test('names that take too much are a problem', async () => {
  const name = `${'"'.repeat(250)}/`.repeat(4)
  const files = Array.from({ length: 4500 }, (_, i) => [`${i % 19}/${name}${i}`.slice(-1024), 'x'])
  const place = await mkdtemp(join(tmpdir(), 'version-'))
  const folder = join(place, 'folder')
  for (const [path = '', text = ''] of files) await Bun.write(join(folder, path), text)
  const { problems } = await readFolderVersion(await listFolder(folder), {
    stored: await StoredFiles.create(place),
    settings: null,
    limits: { fileBytesMax: 1000, siteBytesMax: 1_000_000 },
    signal: new AbortController().signal,
    now: () => 7,
  })
  expect(problems).toContainEqual(
    expect.stringMatching(
      new RegExp(`^this would not go live: its file names, .*; the limit is ${snapshotBytesMax}$`),
    ),
  )
  await rm(place, { recursive: true })
})
