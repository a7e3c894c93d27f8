import type { z } from 'zod'
import type { EventsAnswer, JsonAnswer, PayloadOf, Sent } from './answers.ts'
import type { ParamsOf, Route } from './route.ts'
import type { Routes } from './routes.ts'

// Types only: clients of the API import them without any code of the server.

type ByCall = {
  readonly [Name in keyof Routes as `${Routes[Name]['method']} ${Routes[Name]['path']}`]: Routes[Name]
}

/** `POST /api/domain/claim`: method and path, as declared. */
export type CallName = keyof ByCall

/** The params, query and body of a call, as far as its route has them. */
export type Asked<Name extends CallName> = ParamsPart<ByCall[Name]> &
  QueryPart<ByCall[Name]> &
  BodyPart<ByCall[Name]>

type ParamsPart<R extends Route> = keyof ParamsOf<R> extends never
  ? unknown
  : { readonly params: ParamsOf<R> }

type QueryPart<R extends Route> = R extends { readonly query: infer Query }
  ? { readonly query?: { readonly [Key in keyof Query]?: string } }
  : unknown

type BodyPart<R extends Route> = R extends {
  readonly body: { readonly kind: 'json' | 'unread-json'; readonly schema: infer Schema }
}
  ? { readonly body: Schema extends z.ZodType ? Sent<z.input<Schema>> : never }
  : unknown

/** The payload of a 200. */
export type AnswerTo<Name extends CallName> = ByCall[Name]['answers'] extends {
  readonly 200: infer Answer extends JsonAnswer
}
  ? PayloadOf<Answer>
  : never

/** The data of each event of a stream. */
export type EventsOf<Name extends CallName> = ByCall[Name]['answers'] extends {
  readonly 200: EventsAnswer<infer Events>
}
  ? { readonly [Event in keyof Events]: Sent<z.output<Events[Event]>> }
  : never

export type Site = AnswerTo<'GET /api/user/sites'>['sites'][number]

export type JobEvents = EventsOf<'GET /sitehost/upload-progress/:jobId'>
