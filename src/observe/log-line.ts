import { escapeUnprintable } from './escape-unprintable.ts'
import type { LogEntry, LogMethod } from './log-entry.ts'

/** One JSON object in one line, without its end. */
export function jsonLine({ at, level, context, ...entry }: LogEntry): string {
  const { service, message, event, traceId } = entry
  const text = JSON.stringify({
    '@timestamp': new Date(at).toISOString(),
    level: level.toUpperCase(),
    message,
    service,
    ...(event !== null && { event }),
    ...(traceId !== null && { traceId }),
    properties: context,
  })
  return escapeUnprintable(text)
}

/**
 * One line for people, without its end: `2026-11-22T22:10:01.123Z WARN  publish failed  site=blog reason="no answer"`. The
 * name of an event is left out: its message says the same.
 */
export function textLine(entry: LogEntry, { colours }: { readonly colours: boolean }): string {
  const { at, context, level, message, traceId } = entry
  const paint = colours ? painted : plain
  const fields = Object.entries({ ...context, ...(traceId !== null && { trace: traceId }) })
  const written = fields.map(([name, value]) => ` ${paint(dim, `${name}=`)}${valueText(value)}`)
  const levelText = paint(levelColours[level], level.toUpperCase().padEnd(5))
  const time = paint(dim, new Date(at).toISOString())
  const head = `${time} ${levelText} ${paint(bold, escapeUnprintable(message))}`
  return written.length === 0 ? head : `${head} ${written.join('')}`
}

/** In quotes where a reader could not see where the value ends. */
function valueText(value: unknown): string {
  const text = String(value).replace(/\s*\n\s*/g, ' | ')
  const isWord = /^[^\s"=]+$/.test(text)
  return escapeUnprintable(isWord ? text : JSON.stringify(text))
}

type Paint = (code: number, text: string) => string
const painted: Paint = (code, text) => `\u001b[${code}m${text}\u001b[0m`
const plain: Paint = (_, text) => text

const bold = 1
const dim = 2
const levelColours: Record<LogMethod, number> = { debug: dim, info: 36, warn: 33, error: 31 }
