import { z } from 'zod'
import { isLiteral } from '#api/contract/messages.ts'
import type { Route } from '#api/contract/route.ts'

/** Something that a route says to the letter, so that clients may compare with it. */
export interface Literal {
  readonly status: number
  readonly text: string
}

/**
 * Every literal message of a route: in its failures, in the fields for messages of its answers, its plain
 * texts and the places of the application that it redirects to.
 */
export function literalsOf({ answers, failures = {} }: Route): Literal[] {
  const found: Literal[] = []
  for (const [status, messages] of Object.entries(failures)) {
    found.push(...messages.filter(isLiteral).map((text) => ({ status: Number(status), text })))
  }
  for (const [key, answer] of Object.entries(answers)) {
    const status = Number(key)
    if (answer.kind === 'text') found.push({ status, text: answer.text })
    if (answer.kind === 'redirect') {
      found.push(...answer.locations.map((text) => ({ status, text })))
    }
    if (answer.kind === 'json') {
      const texts = messagesIn(z.toJSONSchema(answer.schema))
      found.push(...texts.map((text) => ({ status, text })))
    }
  }
  return found
}

const messageFields = new Set(['error', 'details', 'message', 'reason'])

/** The constants of fields for messages, however deep in a JSON schema. */
function messagesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, inner]: [string, unknown]) => {
    const isMessage = messageFields.has(key) && typeof inner === 'object' && inner !== null
    return isMessage && 'const' in inner ? [String(inner.const)] : messagesIn(inner)
  })
}
