import type { AnswerTo } from '#api/contract/client.ts'
import { naturalOrder } from '#web/parts/natural-order.ts'

type Changes = AnswerTo<'GET /api/site/:rkey/versions/:id/changes'>

export interface ChangedFile {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly path: string
  readonly bytes: number
}

/** What was added, changed and removed, one after the other, each in the order of the page of files. */
export const changedFiles = (changes: Pick<Changes, ChangedFile['kind']>): ChangedFile[] =>
  (['added', 'changed', 'removed'] as const).flatMap((kind) =>
    changes[kind].map((file) => ({ ...file, kind })).sort((a, b) => naturalOrder(a.path, b.path)),
  )
