import { readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { codeOf } from '#observe/code-of.ts'

const openFiles = '/proc/self/fd'

/**
 * The names of the files in this folder that this process has open: Bun opens a file for each response with it and
 * closes it at the end, without another notification. Linux only; empty elsewhere.
 */
export async function readNamesIn(dir: string): Promise<Set<string>> {
  const names = new Set<string>()
  if (process.platform !== 'linux') return names
  const folder = await realpath(dir)
  const slice = timeSlices()
  for (const descriptor of await readdir(openFiles)) {
    const path = await linkOf(join(openFiles, descriptor))
    if (path !== null && dirname(path) === folder) names.add(basename(path))
    await slice()
  }
  return names
}

async function linkOf(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch (error) {
    // Closed in the meantime.
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
