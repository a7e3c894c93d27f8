import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifExists } from '#blobs/storage-calls.ts'
import { partSuffixes, type ServicePart } from './data-lock.ts'

const announcementSchema = z.object({
  /** As the settings of the same names say it: the application's, and where this process listens. */
  origin: z.string(),
  host: z.string(),
  port: z.number(),
  /** Where it answers a TLS front; null: nowhere. */
  askListen: z.object({ host: z.string(), port: z.number() }).nullable(),
  /** Of the service, that are this process. */
  parts: z.array(z.enum(['app', 'hosting'])).min(1),
})

/** What a process of the service says of itself. */
export type Announcement = Readonly<z.infer<typeof announcementSchema>>

const fileIn = (dataDir: string, part: ServicePart): string =>
  join(dataDir, `address${partSuffixes[part]}`)

/** Tells commands on this data folder where its service is, until disposal: they may have other settings than it. */
export async function announceAddress(
  dataDir: string,
  announcement: Announcement,
): Promise<AsyncDisposable> {
  const [part = 'app', ...others] = announcement.parts
  const file = fileIn(dataDir, part)
  // Of a process that was killed, and is no process of its own any more.
  for (const other of others) await rm(fileIn(dataDir, other), { force: true })
  await writeFile(file, `${JSON.stringify(announcement)}\n`, { mode: 0o600 })
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
}

/** Of the process that runs, or was killed, and is this part, perhaps others too; null: none has announced itself since it stopped. */
export async function readAnnouncement(
  dataDir: string,
  part: ServicePart,
): Promise<Announcement | null> {
  const text = await ifExists(readFile(fileIn(dataDir, part), 'utf8'))
  if (text === null) return null
  try {
    return announcementSchema.parse(JSON.parse(text))
  } catch {
    // A power failure may have left half of it.
    return null
  }
}
