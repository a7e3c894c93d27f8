import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskSpace, diskSpaceOf, freeBytesNeeded } from '#blobs/disk-floor.ts'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import { codeOf } from '#observe/code-of.ts'
import { byteText } from '#site/byte-text.ts'

const syncs = 10
const fileBytes = 4096
/** Every commit waits for one: beyond it, people notice. */
const slowMs = 50

interface DiskChecks {
  readonly diskSpace?: (dir: string) => Promise<DiskSpace>
  /** How long it takes to make a small file durable, in milliseconds. */
  readonly syncMs?: (dir: string) => Promise<number>
}

/** The disk of the data folder: its space, and how fast it makes a small file durable. */
export async function checkDisk(
  dir: string,
  { diskSpace = diskSpaceOf, syncMs = measureSync }: DiskChecks = {},
): Promise<Finding[]> {
  try {
    return [judgeSpace(await diskSpace(dir)), judgeSpeed(await syncMs(dir))]
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return [ok('disk', `${dir} is not there yet: the first start makes it`)]
    return [
      problem('disk', `${dir} cannot be written to (${code})`, 'correct its owner, or DATA_DIR'),
    ]
  }
}

function judgeSpace(space: DiskSpace): Finding {
  const needed = freeBytesNeeded(space)
  const seen = `${byteText(space.free)} of ${byteText(space.total)} free`
  if (space.free < needed) {
    return problem(
      'disk space',
      seen,
      `free some: below ${byteText(needed)}, Sitehost stores nothing more`,
    )
  }
  if (space.free < 2 * needed) {
    return warning('disk space', seen, `at ${byteText(needed)}, Sitehost stores nothing more`)
  }
  return ok('disk space', seen)
}

function judgeSpeed(ms: number): Finding {
  const seen = `a small file is durable after ${ms.toFixed(1)} ms`
  return ms <= slowMs
    ? ok('disk speed', seen)
    : warning('disk speed', seen, 'every publish and sign-in waits for that: use a faster disk')
}

/** The median of some. */
async function measureSync(dir: string): Promise<number> {
  const path = join(dir, `doctor-${crypto.randomUUID()}`)
  const times: number[] = []
  try {
    await using file = await open(path, 'wx', 0o600)
    for (let n = 0; n < syncs; n++) {
      const began = performance.now()
      await file.write(new Uint8Array(fileBytes))
      await file.sync()
      times.push(performance.now() - began)
    }
  } finally {
    await rm(path, { force: true })
  }
  return times.sort((a, b) => a - b)[syncs / 2] ?? 0
}
