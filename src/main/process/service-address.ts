import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifExists } from '#blobs/storage-calls.ts'

/** Where a service listens, and its origin, as the settings of the same names say it. */
const serviceAddress = z.object({ origin: z.string(), host: z.string(), port: z.number() })

export type ServiceAddress = Readonly<z.infer<typeof serviceAddress>>

const fileIn = (dataDir: string): string => join(dataDir, 'address')

/** Tells commands on this data folder where its service is, until disposal: they may have other settings than it. */
export async function announceAddress(
  dataDir: string,
  address: ServiceAddress,
): Promise<AsyncDisposable> {
  await writeFile(fileIn(dataDir), `${JSON.stringify(address)}\n`, { mode: 0o600 })
  return { [Symbol.asyncDispose]: () => rm(fileIn(dataDir), { force: true }) }
}

/** Of the service that runs, or was killed; null: none has announced itself since it stopped. */
export async function readServiceAddress(dataDir: string): Promise<ServiceAddress | null> {
  const text = await ifExists(readFile(fileIn(dataDir), 'utf8'))
  if (text === null) return null
  try {
    return serviceAddress.parse(JSON.parse(text))
  } catch {
    // A power failure may have left half of it.
    return null
  }
}
