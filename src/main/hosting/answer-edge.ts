import { enqueueIn } from '#edge/files/missing-blobs.ts'
import type { Discovery, Owner } from '#edge/names/discover-owner.ts'
import { trafficInRows } from '#edge/shares/save-traffic.ts'
import { utcDayOf } from '#site/utc-day.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { touchVisited } from '#store/lifecycle/visited-accounts.ts'
import type { EnqueueContext } from '#store/queues/enqueue.ts'
import { type EdgeAnswers, edgeQuestionSchema, questionBytesMax } from './edge-questions.ts'

export interface EdgeAnswerContext extends EnqueueContext {
  /** Null: accounts are not discovered by visits (INGEST). */
  readonly discover: ((owner: Owner, client: string) => Promise<Discovery>) | null
}

/** Does what an edge of its own asks for, with this process's right to write. */
export async function answerEdge(request: Request, context: EdgeAnswerContext): Promise<Response> {
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (Number.isNaN(bytes)) return Response.json({ error: 'Length required' }, { status: 411 })
  if (bytes > questionBytesMax) return Response.json({ error: 'Too large' }, { status: 413 })
  const question = edgeQuestionSchema.safeParse(await request.json().catch(() => null))
  if (!question.success) return Response.json({ error: 'Not a question' }, { status: 400 })
  if ('day' in question.data && Math.abs(question.data.day - utcDayOf(context.now())) > 1) {
    return Response.json({ error: 'day: expected today' }, { status: 400 })
  }
  try {
    return Response.json(await answer(question.data, context))
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    return Response.json({ error: 'Database unavailable' }, { status: 503 })
  }
}

async function answer(
  question: ReturnType<typeof edgeQuestionSchema.parse>,
  context: EdgeAnswerContext,
): Promise<EdgeAnswers[keyof EdgeAnswers]> {
  const { db, discover, now } = context
  switch (question.kind) {
    case 'count':
      return await trafficInRows(db).add(question.day, question)
    case 'salt':
      return await trafficInRows(db).saltOf(question.day)
    case 'visited':
      await touchVisited(db, question.dids, now())
      return null
    case 'missing':
      await enqueueIn(context)(question)
      return null
    case 'discover':
      return (await discover?.(question.owner, question.client)) ?? { kind: 'not-found' }
  }
}
