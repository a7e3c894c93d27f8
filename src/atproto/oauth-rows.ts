import type { Store } from '@atcute/oauth-node-client'
import { type Seal, SealError } from './seal.ts'

/** Where sealed rows are kept. Whoever keeps them sees no token and no key. */
export interface SealedRows {
  get(kind: string, key: string): Promise<string | null>
  put(kind: string, key: string, sealed: string, expiresAt: number | null): Promise<void>
  delete(kind: string, key: string): Promise<void>
}

/**
 * A store for the OAuth library whose rows are sealed, each bound to its kind and key. A row that does not
 * open, as after the secret was lost, is as good as none.
 */
export function sealedStore<K extends string, V>(
  rows: SealedRows,
  seal: Seal,
  kind: string,
  expiresAtOf: (value: V) => number | null = () => null,
): Store<K, V> {
  const contextOf = (key: K) => `${kind}/${key}`
  const open = async (sealed: string, key: K): Promise<V | undefined> => {
    try {
      return JSON.parse(await seal.open(sealed, contextOf(key)))
    } catch (error) {
      if (error instanceof SealError) return undefined
      throw error
    }
  }
  return {
    async get(key) {
      const sealed = await rows.get(kind, key)
      return sealed === null ? undefined : await open(sealed, key)
    },
    async set(key, value) {
      const sealed = await seal.seal(JSON.stringify(value), contextOf(key))
      await rows.put(kind, key, sealed, expiresAtOf(value))
    },
    async delete(key) {
      await rows.delete(kind, key)
    },
    clear() {
      throw new Error(`${kind} rows are only deleted one by one`)
    },
  }
}
