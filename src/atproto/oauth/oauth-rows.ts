import type { Store } from '@atcute/oauth-node-client'
import { LruMap } from '#concurrency/lru-map.ts'
import { type Seal, SealError } from './seal.ts'

/** Storage for sealed rows, which reveal no tokens and no keys. */
export interface SealedRows {
  get(kind: string, key: string): Promise<string | null>
  put(kind: string, key: string, sealed: string, expiresAt: number | null): Promise<void>
  delete(kind: string, key: string): Promise<void>
  /** Compare-and-swap: replaces or deletes (null) a row that is still `seen`; false when it is not. */
  swap(kind: string, key: string, seen: string, sealed: string | null): Promise<boolean>
  /** All rows of a kind, in key order, in pages of a few hundred. */
  pages(kind: string): AsyncIterable<{ key: string; sealed: string }[]>
}

export interface SealedStore<K extends string, V> extends Store<K, V> {
  entries(): AsyncGenerator<[key: K, value: V]>
  /**
   * A store for one holder of a lease, who may be suspended until another one has it: writes only over what it has itself read or
   * written last, and leaves everything else as it is.
   */
  fenced(): Store<K, V>
}

/** Opened values that are kept, of about 3 kB each. Publishing reads its account's session for every file. */
const openedMax = 1000

/**
 * A store for the OAuth library: rows are bound to kind and key; one that cannot be opened counts as missing.
 * `get` reads the row each time, and returns the same frozen value while the row is the same: opening it, and
 * importing the key in it, take longer than the read.
 */
export function sealedStore<K extends string, V>(
  rows: SealedRows,
  seal: Seal,
  kind: string,
  expiresAtOf: (value: V) => number | null = () => null,
): SealedStore<K, V> {
  const open = async (sealed: string, key: string): Promise<V | undefined> => {
    const json = await openOrNull(seal, sealed, contextIn(kind, key))
    return json === null ? undefined : JSON.parse(json)
  }
  const opened = new LruMap<string, V>(openedMax)
  const openOnce = async (key: K, sealed: string | null): Promise<V | undefined> => {
    if (sealed === null) return undefined
    const row = `${key} ${sealed}`
    const known = opened.get(row)
    if (known !== undefined) return known
    const value = await open(sealed, key)
    if (value !== undefined) opened.set(row, deepFreeze(value))
    return value
  }
  const close = (key: K, value: V) => seal.seal(JSON.stringify(value), contextIn(kind, key))
  const clear = (): never => {
    throw new Error(`${kind} rows are only deleted one by one`)
  }
  return {
    async get(key) {
      return await openOnce(key, await rows.get(kind, key))
    },
    async set(key, value) {
      await rows.put(kind, key, await close(key, value), expiresAtOf(value))
    },
    async delete(key) {
      await rows.delete(kind, key)
    },
    fenced() {
      const seen = new Map<K, string>()
      const swap = async (key: K, sealed: string | null): Promise<void> => {
        const before = seen.get(key)
        if (before === undefined || !(await rows.swap(kind, key, before, sealed))) return
        if (sealed === null) seen.delete(key)
        else seen.set(key, sealed)
      }
      return {
        async get(key) {
          const sealed = await rows.get(kind, key)
          if (sealed !== null) seen.set(key, sealed)
          return await openOnce(key, sealed)
        },
        set: async (key, value) => await swap(key, await close(key, value)),
        delete: async (key) => await swap(key, null),
        clear,
      }
    },
    async *entries() {
      for await (const page of rows.pages(kind)) {
        for (const { key, sealed } of page) {
          const value = await open(sealed, key)
          if (value !== undefined) yield [key as K, value]
        }
      }
    },
    clear,
  }
}

/** Whether rows of a kind exist and none of the first page opens: they were sealed with an unknown secret. */
export async function areSealedOtherwise(
  rows: SealedRows,
  seal: Seal,
  kind: string,
): Promise<boolean> {
  for await (const first of rows.pages(kind)) {
    for (const { key, sealed } of first) {
      if ((await openOrNull(seal, sealed, contextIn(kind, key))) !== null) return false
    }
    return true
  }
  return false
}

/** Of a value that JSON made. */
function deepFreeze<V>(value: V): V {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}

async function openOrNull(seal: Seal, sealed: string, context: string): Promise<string | null> {
  try {
    return await seal.open(sealed, context)
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

const contextIn = (kind: string, key: string): string => `${kind}/${key}`
