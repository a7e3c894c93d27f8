import { expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FolderError } from './folder-error.ts'
import { listFolder } from './folder-listing.ts'
import { readFolderRules } from './folder-rules.ts'

test.each(['.sitehostignore', 'sitehost.json'])(
  'a %s that is a link out of the folder is an error, not a folder without rules',
  async (name) => {
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-rules-'))
    await mkdir(join(dir, 'site'))
    await writeFile(join(dir, 'shared'), 'secret.txt\n')
    await symlink('../shared', join(dir, 'site', name))
    const listing = await listFolder(join(dir, 'site'))
    await expect(readFolderRules(listing)).rejects.toThrow(FolderError)
    await rm(dir, { recursive: true })
  },
)
