import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '#blobs/storage-calls.ts'
import { codeOf } from '#observe/code-of.ts'
import { ConfigError } from './config.ts'

const fileName = 'secret-key'
const secretCharsMin = 32

/**
 * The secrets to sign and encrypt with, newest first. Without a setting, the first start creates one in the data folder,
 * readable only by its owner. Throws ConfigError for a secret that is too short.
 */
export async function readSecrets(
  configured: readonly string[],
  dataDir: string,
): Promise<readonly [string, ...string[]]> {
  const [newest, ...older] = configured
  if (newest === undefined) return [await keptSecret(dataDir)]
  // Each secret verifies: an empty one, as after `NEW,`, would let anybody sign in as anybody.
  if (configured.some(isShort)) {
    throw new ConfigError(`SECRET_KEY: every secret has ${secretCharsMin} characters or more`)
  }
  return [newest, ...older]
}

async function keptSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, fileName)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const kept = (await ifExists(readFile(path, 'utf8')))?.trim() ?? (await makeSecret(path))
  if (isShort(kept)) throw new ConfigError(`${path}: not a secret; remove it to have one made`)
  return kept
}

/** Creates one secret, durable and whole, even if two processes start at the same time or this one is killed. */
async function makeSecret(path: string): Promise<string> {
  const temp = `${path}.${crypto.randomUUID()}`
  await using file = await open(temp, 'wx', 0o600)
  try {
    await file.writeFile(randomBytes(32).toString('base64url'))
    await file.sync()
    await link(temp, path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await rm(temp, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}

const isShort = (secret: string): boolean => secret.length < secretCharsMin
