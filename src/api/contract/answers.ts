import type { z } from 'zod'

/** What a handler may answer with, by kind. `when` says in a few words for readers what it means. */
export type Answer =
  | JsonAnswer
  | FileAnswer
  | TextAnswer
  | RedirectAnswer
  | EventsAnswer
  | DocumentAnswer

export interface JsonAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly when: string
  readonly schema: Schema
}

interface TextAnswer<Text extends string = string> {
  readonly kind: 'text'
  readonly when: string
  readonly text: Text
}

interface RedirectAnswer<Location extends string = string> {
  readonly kind: 'redirect'
  readonly when: string
  /** Places of the application, with `{name}` for what varies; any other place is handed over as a URL. */
  readonly locations: readonly Location[]
}

export interface EventsAnswer<Events extends EventSchemas = EventSchemas> {
  readonly kind: 'events'
  readonly when: string
  readonly events: Events
}

/** Of each event its data. */
export type EventSchemas = Readonly<Record<string, z.ZodType>>

export function json<Schema extends z.ZodType>(when: string, schema: Schema): JsonAnswer<Schema> {
  return { kind: 'json', when, schema }
}

/** JSON to be kept, sent while it is made: the handler makes the response. */
export const file = (when: string, schema: z.ZodType) => ({ kind: 'file', when, schema }) as const

type FileAnswer = ReturnType<typeof file>

export function text<const Text extends string>(when: string, text: Text): TextAnswer<Text> {
  return { kind: 'text', when, text }
}

export function redirect<const Location extends string>(
  when: string,
  ...locations: Location[]
): RedirectAnswer<Location> {
  return { kind: 'redirect', when, locations }
}

export function events<Events extends EventSchemas>(
  when: string,
  events: Events,
): EventsAnswer<Events> {
  return { kind: 'events', when, events }
}

/** A string that is not JSON, such as a page. */
export const document = (when: string, mediaType: string) =>
  ({ kind: 'document', when, mediaType }) as const

type DocumentAnswer = ReturnType<typeof document>

/** What a handler hands over for an answer of this kind. */
export type PayloadOf<A extends Answer> =
  A extends JsonAnswer<infer Schema>
    ? Sent<z.output<Schema>>
    : A extends TextAnswer<infer Text>
      ? Text
      : A extends RedirectAnswer<infer Location>
        ? Filled<Location> | URL
        : A extends EventsAnswer | FileAnswer
          ? Response
          : string

/** Nobody changes what is sent, so lists that cannot be changed will do. */
export type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Sent<T[Key]> }
    : T

type Filled<Location extends string> = Location extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Location
