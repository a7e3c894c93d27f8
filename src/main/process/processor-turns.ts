import { dlopen, FFIType } from 'bun:ffi'
import { getPriority } from 'node:os'

/** Nanoseconds; 0: as long as Linux usually has it. */
const turns = { short: 200_000n, usual: 0n }

/** Numbers of sched_setattr(2). */
const systemCalls: Partial<Record<NodeJS.Architecture, number>> = { x64: 314, arm64: 274 }

// struct sched_attr, as of its first version.
const attributesBytes = 48
const offsets = { size: 0, flags: 8, nice: 16, runtime: 24 }
const keepPolicy = 0x08n

/**
 * Asks Linux (6.12 or later) to give this thread the processor for short turns, and sooner for that: where others keep every
 * core busy it would wait until one of their turns, some 3 ms, is over. Its share stays the same. Threads that it begins
 * from then on do as it does, until they ask otherwise. False where it is not allowed, or there is no Linux: all goes on as it
 * did, and so it does on an older one, which only says that it agrees.
 */
export function takeTurns(length: keyof typeof turns): boolean {
  const systemCall = systemCalls[process.arch]
  if (process.platform !== 'linux' || systemCall === undefined) return false
  const attributes = new DataView(new ArrayBuffer(attributesBytes))
  attributes.setUint32(offsets.size, attributesBytes, true)
  attributes.setBigUint64(offsets.flags, keepPolicy, true)
  attributes.setInt32(offsets.nice, getPriority(), true)
  attributes.setBigUint64(offsets.runtime, turns[length], true)
  const library = openLibrary()
  if (library === null) return false
  const result = library.symbols.syscall(systemCall, 0, new Uint8Array(attributes.buffer), 0)
  library.close()
  return Number(result) === 0
}

function openLibrary() {
  const { i64, ptr } = FFIType
  try {
    return dlopen('libc.so.6', { syscall: { args: [i64, i64, ptr, i64], returns: i64 } })
  } catch {
    // A system of another C library.
    return null
  }
}
