import { parseWeights } from '#http/weights.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'

/** The fields that `isNavigation` reads. */
export const navigationFields: readonly string[] = ['accept', 'sec-fetch-mode']

/**
 * Whether somebody opens a page, and no page asks for a part of it: by `Sec-Fetch-Mode`, or by a wish
 * for HTML where the last segment of the address has no file extension.
 */
export function isNavigation(request: VisitorRequest): boolean {
  if (request.header('sec-fetch-mode') === 'navigate') return true
  return wantsHtml(request.header('accept') ?? '') && !hasExtension(request.pathname)
}

const wantsHtml = (accept: string): boolean => (parseWeights(accept).get('text/html') ?? 0) > 0

const hasExtension = (pathname: string): boolean => /[^/]\.[^./]+$/.test(pathname)
