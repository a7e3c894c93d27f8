import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '#blobs/storage-calls.ts'
import { StartError } from './start-failure.ts'

/** Of the data folder, which must be locked: made with the first call, the same from then on. Throws StartError. */
export async function instanceIdIn(dataDir: string): Promise<string> {
  const file = join(dataDir, 'instance-id')
  const found = (await ifExists(readFile(file, 'utf8')))?.trim()
  if (found === undefined || found === '') {
    const id = crypto.randomUUID()
    await writeFile(file, `${id}\n`, { mode: 0o600 })
    return id
  }
  if (!/^[0-9a-f-]{36}$/.test(found)) {
    throw new StartError(`${file} does not hold the id of an instance: delete it`)
  }
  return found
}
