import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifExists } from '#blobs/storage-calls.ts'
import { writeDurably } from './manifest.ts'

const fileName = 'last-backup.json'

const lastBackup = z.object({ at: z.number().int().nonnegative() })

/** When the last whole backup of this data folder was made, in milliseconds; null: none is known. */
export async function readLastBackup(dataDir: string): Promise<number | null> {
  const text = await ifExists(readFile(join(dataDir, fileName), 'utf8'))
  if (text === null) return null
  try {
    return lastBackup.safeParse(JSON.parse(text)).data?.at ?? null
  } catch {
    return null
  }
}

export async function writeLastBackup(dataDir: string, at: number): Promise<void> {
  await writeDurably(join(dataDir, fileName), `${JSON.stringify({ at })}\n`)
}
