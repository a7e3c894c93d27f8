import { words } from '#web/words/words.ts'

interface AnsweredProblem {
  /** A sentence for the person at the screen. */
  readonly message: string
  /** What it is about, by the interface's name, as in `headers.2.name`, which nobody at the screen knows; null: nothing in particular. */
  readonly field: string | null
}

/** What an answer says that is an error, whichever of the server's shapes it has. */
export function answeredProblem(status: number, body: unknown): AnsweredProblem {
  const answered = sentenceOf(body, status)
  const [, field = null, rest = answered] = /^([a-z]\w*(?:\.\w+)*): (.+)$/su.exec(answered) ?? []
  return { field, message: field === null ? answered : asSentence(rest) }
}

function sentenceOf(body: unknown, status: number): string {
  const { error, details, id } = isObject(body) ? body : {}
  if (typeof details === 'string') return details
  if (typeof error !== 'string') return words.server.status(status)
  // What the interface promises to programs.
  if (status === 401 && error === 'Unauthorized') return words.server.signedOut
  return typeof id === 'string' ? `${error} (${id})` : error
}

/** `expected a path` becomes `Enter a path.` */
function asSentence(rest: string): string {
  const asked = rest.replace(/^expected /, 'enter ')
  const end = /[.!?]$/.test(asked) ? '' : '.'
  return asked.charAt(0).toUpperCase() + asked.slice(1) + end
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
