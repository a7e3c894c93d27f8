import { type PageErrorName, pageErrorNames } from '#site/page-errors.ts'
import { ReadError } from '#web/publish/files/picked-file.ts'
import { ApiError, call } from '#web/server/api.ts'
import { PageNotLoadedError } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'

/** An error that recurs, as in each drawing, is known after a few. */
const reportsMax = 5
let reports = 0

/** Counts an error that nobody foresaw at the service, a few for each page that was loaded. Only its name leaves the page. */
export function reportPageError(error: unknown): void {
  if (isForeseen(error) || error instanceof PageNotLoadedError || reports === reportsMax) return
  reports += 1
  void call('POST /api/page-errors', { body: { name: countedName(error) } }).catch(() => undefined)
}

/** Reports uncaught errors and unhandled rejections. */
export function watchPageErrors(): void {
  // Without an error: one of another origin's script, and notices such as that of a ResizeObserver.
  addEventListener('error', ({ error }: ErrorEvent) => error && reportPageError(error))
  addEventListener('unhandledrejection', ({ reason }: PromiseRejectionEvent) =>
    reportPageError(reason),
  )
}

/** True if the error's message is a sentence for the user. */
export const isForeseen = (error: unknown): error is ApiError | ReadError =>
  error instanceof ApiError || error instanceof ReadError

/** The sentence of the error. Reports one that nobody foresaw. */
export function problemOf(error: unknown): string {
  if (isForeseen(error)) return error.message
  reportPageError(error)
  return `${words.server.failed} (${titleOf(error)})`
}

/** `TypeError: x is not a function` */
export const titleOf = (error: unknown): string =>
  // A DOMException's own text lacks its name in some browsers.
  error instanceof Error || error instanceof DOMException
    ? `${error.name}: ${error.message}`
    : String(error)

function countedName(error: unknown): PageErrorName {
  const name = (error as { readonly name?: unknown } | null)?.name
  return pageErrorNames.find((known) => known === name) ?? 'other'
}
