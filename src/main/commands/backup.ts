import { BlobStorageError } from '#blobs/blob-store.ts'
import { s3LocationText } from '#blobs/s3-location.ts'
import { counted } from '#cli/counted.ts'
import type { BackupCommandOptions, RestoreCommandOptions } from '#cli/program.ts'
import { type BackupDone, backUp } from '#main/backup/back-up.ts'
import { type RestoreDone, restore } from '#main/backup/restore.ts'
import { type Config, readConfig } from '#main/config/config.ts'
import { StartError } from '#main/process/start-failure.ts'
import { codeOf } from '#observe/code-of.ts'
import { version } from '#package.json'
import { byteText } from '#site/byte-text.ts'
import { assertOwnFolder, assertUsed } from './upkeep.ts'

const keepMax = 1000

/** Backs up the data folder and the database, also while the service runs, and prints one line about it. */
export async function runBackup(
  folder: string,
  options: BackupCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const config = configOf(options)
  await assertUsed(config)
  await assertOwnFolder(config.dataDir)
  const began = performance.now()
  using progress = startProgress()
  const done = await withPlainErrors(
    folder,
    backUp({
      ...{ config, folder, signal, version },
      ...{
        keep: keepOf(options.keep),
        withBlobs: options.blobs && config.blobStore === null,
        prunes: options.prune === true,
      },
      onProgress: (text) => progress.show(text),
    }),
  )
  progress.clear()
  console.log(`${backupLine(done)}, in ${secondsSince(began)} s: ${folder}`)
  if (config.blobStore !== null) {
    console.error(`the blobs stay in their bucket: ${s3LocationText(config.blobStore.location)}`)
  }
  if (done.blobs !== null && done.blobs.damaged > 0) {
    console.error(`${counted(done.blobs.damaged, 'blob')} damaged on this disk: not in the backup`)
  }
}

/** Restores a backup into the data folder and the database, and prints what to do next. */
export async function runRestore(
  folder: string,
  options: RestoreCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const config = configOf(options)
  await assertOwnFolder(config.dataDir)
  const began = performance.now()
  using progress = startProgress()
  const done = await withPlainErrors(
    config.dataDir,
    restore({
      ...{ config, folder, signal, replaces: options.replace === true },
      onProgress: (text) => progress.show(text),
    }),
  )
  progress.clear()
  console.log(`${restoreLine(done)}, in ${secondsSince(began)} s: ${config.dataDir}`)
  console.log('everybody has to sign in again, and what administrators did since then is undone')
  for (const line of remarks(done, config)) console.error(line)
}

const configOf = ({ data }: { readonly data?: string }) =>
  readConfig(data === undefined ? {} : { DATA_DIR: data })

function keepOf(text: string): number {
  const keep = Number(text)
  if (Number.isInteger(keep) && keep >= 1 && keep <= keepMax) return keep
  throw new StartError(`--keep: a whole number from 1 to ${keepMax}`)
}

function backupLine({ manifest, blobs }: BackupDone): string {
  const { accounts, database, sites } = manifest
  const what = `backed up ${counted(accounts, 'account')}, ${counted(sites, 'site')}, a database of ${byteText(database.bytes)}`
  if (blobs === null) return `${what}, no blobs`
  return `${what}, ${counted(blobs.count, 'blob')} of ${byteText(blobs.bytes)} (${blobs.added} new)`
}

function restoreLine({ manifest, blobs }: RestoreDone): string {
  const { accounts, at, sites } = manifest
  const what = `restored the backup of ${new Date(at).toISOString()}: ${counted(accounts, 'account')}, ${counted(sites, 'site')}`
  return blobs === null ? what : `${what}, ${counted(blobs.count, 'blob')}`
}

function remarks(
  { aside, blobs, manifest }: RestoreDone,
  { blobStore }: Pick<Config, 'blobStore'>,
): string[] {
  const bucket = blobStore && s3LocationText(blobStore.location)
  const missing = manifest.blobs === null ? null : manifest.blobs.count - (blobs?.count ?? 0)
  const fetched = 'fetched from their owners’ servers by sitehost backfill, or with the first visit'
  return [
    ...aside.map((place) => `what was there before is in ${place}`),
    ...(missing === null
      ? [`the backup has no blobs: they are ${bucket === null ? fetched : `in ${bucket}`}`]
      : []),
    ...(missing !== null && bucket !== null
      ? [
          'the blobs of the backup are in the data folder: sitehost blobs copy brings them into the bucket',
        ]
      : []),
    ...(missing !== null && missing > 0
      ? [`${counted(missing, 'blob')} of the backup missing or damaged: ${fetched}`]
      : []),
    ...(manifest.secretKey === 'setting'
      ? ['the backup has no secret: start with the SECRET_KEY that the service had']
      : []),
  ]
}

async function withPlainErrors<Result>(folder: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (cause) {
    if (!isFull(cause)) throw cause
    throw new StartError(
      `the disk of ${folder} is full: free some space and repeat; what was there before is still whole`,
      { cause },
    )
  }
}

function isFull(error: unknown): boolean {
  if (error instanceof BlobStorageError) return error.reason === 'full'
  return /^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(codeOf(error) ?? '')
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)

/** A line at a terminal that is written again and again; elsewhere nothing. */
function startProgress(): Disposable & { show(text: string): void; clear(): void } {
  const { isTTY } = process.stderr
  let shown = ''
  const write = (text: string): void => {
    if (isTTY && text !== shown) process.stderr.write(`\r\u001b[K${text}`)
    shown = text
  }
  return {
    show: write,
    clear: () => write(''),
    [Symbol.dispose]: () => write(''),
  }
}
