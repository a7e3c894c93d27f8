import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const fileName = 'secret-key'

/**
 * The secrets to sign and encrypt with, newest first. Without a setting, one is made at the first start
 * and kept in the data folder, readable by its owner only.
 */
export async function readSecrets(
  configured: readonly string[],
  dataDir: string,
): Promise<readonly [string, ...string[]]> {
  const [newest, ...older] = configured
  if (newest !== undefined) return [newest, ...older]
  const path = join(dataDir, fileName)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return [(await readFile(path, 'utf8')).trim()]
}
