import type { Log } from '#observe/log.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import type { Bodies } from './bodies.ts'
import type { DecodedFiles } from './decoded-files.ts'
import type { Recompressor } from './recompressor.ts'

interface RemovedContext {
  readonly bodies: Pick<Bodies, 'forget' | 'forgetAll'>
  readonly decodedFiles: Pick<DecodedFiles, 'forget' | 'forgetAll'>
  readonly recompressor: Pick<Recompressor, 'forget' | 'forgetAll'>
  /** Whole answers, of any file. */
  readonly serialized: { forgetAll(): void }
  readonly log: Log
  /** Copies of a bucket’s blobs on this disk; null: there are none. */
  readonly copies: {
    readonly forget: (hash: string) => Promise<void>
    /** Forgets those of blobs that are not known any more. */
    readonly forgetRemoved: () => Promise<void>
  } | null
}

/** Drops the copies of stored bytes that were removed at their owner's wish. */
export function forgetRemoved({
  bodies,
  copies,
  decodedFiles,
  log,
  recompressor,
  serialized,
}: RemovedContext): ChangeSubscriber {
  const logged = (work: Promise<void>): void =>
    void work.catch((error) => log.error('copy of removed bytes not removed', { error }))
  return {
    startAfresh() {
      recompressor.forgetAll()
      bodies.forgetAll()
      serialized.forgetAll()
      logged(decodedFiles.forgetAll())
      if (copies !== null) logged(copies.forgetRemoved())
    },
    follow(changes) {
      for (const change of changes) {
        if (change.kind !== 'blobs') continue
        serialized.forgetAll()
        for (const hash of change.hashes) {
          recompressor.forget(hash)
          bodies.forget(hash)
          logged(decodedFiles.forget(hash))
          if (copies !== null) logged(copies.forget(hash))
        }
      }
    },
  }
}
