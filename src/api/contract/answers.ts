import type { z } from 'zod'

/** What a handler may answer with, by kind; `when` tells readers in a few words what it means. */
export type Answer =
  | JsonAnswer
  | FileAnswer
  | DownloadAnswer
  | TextAnswer
  | RedirectAnswer
  | EventsAnswer
  | DocumentAnswer
  | EmptyAnswer

export const json = <Schema extends z.ZodType>(when: string, schema: Schema) =>
  ({ kind: 'json', when, schema }) as const

export type JsonAnswer<Schema extends z.ZodType = z.ZodType> = ReturnType<typeof json<Schema>>

/** JSON to be kept, sent while it is made: the handler makes the response. */
export const file = (when: string, schema: z.ZodType) => ({ kind: 'file', when, schema }) as const

type FileAnswer = ReturnType<typeof file>

/** Bytes to be kept, sent while they are made: the handler makes the response. */
export const download = (when: string, mediaType: string) =>
  ({ kind: 'download', when, mediaType }) as const

type DownloadAnswer = ReturnType<typeof download>

export const text = <const Text extends string>(when: string, text: Text) =>
  ({ kind: 'text', when, text }) as const

type TextAnswer<Text extends string = string> = ReturnType<typeof text<Text>>

/** Places of the application, with `{name}` for what varies; the handler may hand over any other place as a URL. */
export const redirect = <const Location extends string>(when: string, ...locations: Location[]) =>
  ({ kind: 'redirect', when, locations }) as const

type RedirectAnswer<Location extends string = string> = ReturnType<typeof redirect<Location>>

/** By event, the schema of its data. */
export const events = <Events extends EventSchemas>(when: string, events: Events) =>
  ({ kind: 'events', when, events }) as const

type EventSchemas = Readonly<Record<string, z.ZodType>>
export type EventsAnswer<Events extends EventSchemas = EventSchemas> = ReturnType<
  typeof events<Events>
>

/** A string that is not JSON, such as a page; or the response that has it. */
export const document = (when: string, mediaType: string) =>
  ({ kind: 'document', when, mediaType }) as const

type DocumentAnswer = ReturnType<typeof document>

/** No body. */
export const empty = (when: string) => ({ kind: 'empty', when }) as const

type EmptyAnswer = ReturnType<typeof empty>

/** What a handler hands over for an answer of this kind. */
export type PayloadOf<A extends Answer> =
  A extends JsonAnswer<infer Schema>
    ? Sent<z.output<Schema>>
    : A extends TextAnswer<infer Text>
      ? Text
      : A extends RedirectAnswer<infer Location>
        ? Filled<Location> | URL
        : A extends EventsAnswer | FileAnswer | DownloadAnswer
          ? Response
          : A extends EmptyAnswer
            ? null
            : string | Response

/** `T` with read-only lists and fields: nobody changes what is sent. */
export type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Sent<T[Key]> }
    : T

type Filled<Location extends string> = Location extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Location
