import { readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { codeOf } from '#observe/code-of.ts'

const pauseMs = 50
const beatMs = 10_000
/** A holder that cannot be looked at from here, or whose number another process has by now, has died after so long without a beat. */
const silentMsMax = 120_000
const released = 'released'
/** More than one, so that a reader of the folder meets one of them, however many are created while it reads. */
const numbersKept = 5

/**
 * Runs `work` while no other process holds the lock of `file`. A holder that was killed loses it.
 *
 * The lock is the file `<file>.lock.<n>` with the highest number. Whoever finds it released, or its holder dead, creates the next
 * number, which succeeds once only; it is deleted only after higher ones are there. So nobody who looked at an old holder can
 * take the lock from a new one, as by deleting a file of the same name.
 */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const holder = `${await machine()} ${process.pid}`
  let lock = await tryLock(file, holder)
  while (lock === null) {
    await setTimeout(pauseMs, undefined, { signal })
    lock = await tryLock(file, holder)
  }
  const held = lock
  const beats = setInterval(() => beat(held), beatMs)
  beats.unref()
  try {
    return await work()
  } finally {
    clearInterval(beats)
    await writeFile(held, released)
  }
}

/** Null while another process holds it. */
async function tryLock(file: string, holder: string): Promise<string | null> {
  const last = Math.max(0, ...(await numbersOf(file)))
  if (last > 0 && !(await isFree(lockOf(file, last), holder))) return null
  const own = last + 1
  try {
    await writeFile(lockOf(file, own), holder, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null
    throw error
  }
  const numbers = await numbersOf(file)
  const isOvertaken = Math.max(...numbers) > own
  // Overtaken, our number was one that had been deleted.
  const useless = isOvertaken ? [own] : numbers.filter((number) => number <= own - numbersKept)
  for (const number of useless) await rm(lockOf(file, number), { force: true })
  return isOvertaken ? null : lockOf(file, own)
}

const lockOf = (file: string, number: number): string => `${file}.lock.${number}`

async function numbersOf(file: string): Promise<number[]> {
  const prefix = `${basename(file)}.lock.`
  const names = await readdir(dirname(file))
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter(Number.isSafeInteger)
}

async function isFree(lock: string, own: string): Promise<boolean> {
  const holder = await readFile(lock, 'utf8').catch(nullIfGone)
  if (holder === null) return false
  if (holder === released) return true
  const [host, pid] = holder.split(' ')
  if (host === own.split(' ')[0] && hasEnded(Number(pid))) return true
  const since = await stat(lock).catch(nullIfGone)
  return since !== null && Date.now() - since.mtimeMs > silentMsMax
}

function nullIfGone(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

/** Within which a process id is one process: containers may share a folder and a host's name. */
async function machine(): Promise<string> {
  const processes = await readlink('/proc/self/ns/pid').catch(() => '')
  return `${hostname()}/${processes}`
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** A file system without times costs the lock to others after a while, not the command. */
function beat(lock: string): void {
  const now = new Date()
  utimes(lock, now, now).catch(() => {})
}
