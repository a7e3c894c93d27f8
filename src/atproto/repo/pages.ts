import type { AnswerFields } from '#outbound/answer-fields.ts'

const cursorCharsMax = 1_024

interface Page {
  /** Of the next page; null: this is the last one. */
  readonly cursor: string | null
}

/** At most `pagesMax` pages; `ask` fetches the one at a cursor. A server that repeats the cursor has no more pages. */
export async function* xrpcPages<P extends Page>(
  ask: (at: { readonly cursor?: string }) => Promise<P>,
  pagesMax: number,
): AsyncGenerator<P> {
  let cursor: string | null = null
  for (let pages = 0; pages < pagesMax; pages++) {
    const page: P = await ask(cursor === null ? {} : { cursor })
    yield page
    if (page.cursor === null || page.cursor === cursor) return
    cursor = page.cursor
  }
}

/** Null: this is the last page. Throws UnusableAnswerError. */
export function cursorOf(page: AnswerFields): string | null {
  const isLast = [undefined, null, ''].some((none) => page.get('cursor') === none)
  return isLast ? null : page.string('cursor', cursorCharsMax)
}
