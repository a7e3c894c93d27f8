import type { SealedRows } from '#atproto/oauth/oauth-rows.ts'
import { chunksOf } from '#store/database/chunks.ts'

/** Sealed rows in memory. `kept` is by kind and key, with a blank between them. */
export interface MemoryRows extends SealedRows {
  readonly kept: Map<string, { sealed: string; expiresAt: number | null }>
}

export function memoryRows(): MemoryRows {
  const kept: MemoryRows['kept'] = new Map()
  return {
    kept,
    get: async (kind, key) => kept.get(`${kind} ${key}`)?.sealed ?? null,
    put: async (kind, key, sealed, expiresAt) =>
      void kept.set(`${kind} ${key}`, { sealed, expiresAt }),
    delete: async (kind, key) => void kept.delete(`${kind} ${key}`),
    async swap(kind, key, seen, sealed) {
      const row = kept.get(`${kind} ${key}`)
      if (row?.sealed !== seen) return false
      if (sealed === null) kept.delete(`${kind} ${key}`)
      else kept.set(`${kind} ${key}`, { ...row, sealed })
      return true
    },
    async *pages(kind) {
      yield* chunksOf(
        [...kept]
          .filter(([name]) => name.startsWith(`${kind} `))
          .map(([name, { sealed }]) => ({ key: name.slice(kind.length + 1), sealed }))
          .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
        200,
      )
    },
  }
}
