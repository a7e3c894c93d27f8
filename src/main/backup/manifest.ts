import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifExists, syncFolder } from '#blobs/storage-calls.ts'

const fileName = 'backup.json'
/** Changes when an older Sitehost could not restore it. */
const format = 1

const count = z.number().int().nonnegative()

const manifestSchema = z.object({
  format: z.literal(format),
  /** Of the Sitehost that wrote it. */
  version: z.string(),
  /** When the database was copied, in milliseconds. */
  at: count,
  accounts: count,
  sites: count,
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    /** In the folder of the databases. */
    file: z.string().regex(/^[A-Za-z0-9.-]+$/),
    bytes: count,
    sha256: z.string(),
  }),
  /** `setting`: the secret is in SECRET_KEY, which no backup holds. */
  secretKey: z.enum(['file', 'setting']),
  /** Null: without them. */
  blobs: z.object({ count, bytes: count }).nullable(),
})

/** What a backup holds, in `backup.json`. It is written last: without it, a backup is not whole. */
export type Manifest = Readonly<z.infer<typeof manifestSchema>>

/** `unusable`: damaged, or of a later format. */
export type ManifestRead = Manifest | 'missing' | 'unusable'

export async function readManifest(folder: string): Promise<ManifestRead> {
  const text = await ifExists(readFile(join(folder, fileName), 'utf8'))
  if (text === null) return 'missing'
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data ?? 'unusable'
  } catch {
    return 'unusable'
  }
}

/** Replaces the manifest, durably: afterwards the folder has this one or, after a crash, the one before. */
export async function writeManifest(
  folder: string,
  facts: Omit<Manifest, 'format'>,
): Promise<Manifest> {
  const manifest: Manifest = { format, ...facts }
  await writeDurably(join(folder, fileName), `${JSON.stringify(manifest, null, 2)}\n`)
  await syncFolder(folder)
  return manifest
}

/** Writes a file of this path whole or not at all; the folder's entry still has to be synced. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const temp = `${path}.partial`
  await rm(temp, { force: true })
  {
    await using file = await open(temp, 'wx', 0o600)
    await file.writeFile(content)
    await file.sync()
  }
  await rename(temp, path)
}
