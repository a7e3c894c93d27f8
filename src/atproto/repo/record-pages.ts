import { ServerUnreachableError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { listMethod, type PageRecord, readRecordPage } from './record-page.ts'

/** Of a whole collection. A thousand sites of the size that we write have half as many bytes. */
const bytesMax = 256 * 1024 * 1024
const msMax = 5 * 60_000

/**
 * A collection's records page by page, as `ask` brings the answers, until there are no more or `recordsMax` of them. Throws
 * what `ask` throws, UnusableAnswerError, and ServerUnreachableError when it takes too long.
 */
export async function* recordPages(
  ask: (cursor: string | null) => Promise<Uint8Array>,
  recordsMax: number,
): AsyncGenerator<readonly PageRecord[]> {
  const givesUpAt = performance.now() + msMax
  let bytesLeft = bytesMax
  let recordsLeft = recordsMax
  let cursor: string | null = null
  while (recordsLeft > 0) {
    const body = await ask(cursor)
    bytesLeft -= body.length
    if (bytesLeft < 0) throw new UnusableAnswerError(listMethod, 'too many bytes')
    if (performance.now() > givesUpAt) throw new ServerUnreachableError(listMethod)
    const page = await readRecordPage(body)
    yield page.records.slice(0, recordsLeft)
    recordsLeft -= page.listed
    cursor = page.cursor
    // An empty page is the last one, or there would be no end.
    if (cursor === null || page.listed === 0) return
  }
}
