import type { AnswerFields } from '#outbound/answer-fields.ts'

const cursorCharsMax = 1_024

interface Page {
  /** Where the next page begins; null: there is none. */
  readonly cursor: string | null
}

/**
 * The pages of an XRPC method that lists, as `ask` brings them with the parameter of each, until there are no more or `pagesMax` of them. A server that
 * gives the cursor that it was asked with has come to its end. Throws what `ask` throws.
 */
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

/** Null: the page is the last one. Throws UnusableAnswerError. */
export function cursorOf(page: AnswerFields): string | null {
  const isLast = [undefined, null, ''].some((none) => page.get('cursor') === none)
  return isLast ? null : page.string('cursor', cursorCharsMax)
}
