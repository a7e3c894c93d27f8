import { describe, expect, test } from 'bun:test'
import { currentTrace, inTrace, newTrace, parseTraceparent, traceOf } from './trace.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const span = 'b7ad6b7169203331'

describe('traceparent', () => {
  const facts: [field: string | null, id: string | null, isSampled: boolean | null][] = [
    [`00-${traceId}-${span}-01`, traceId, true],
    [`00-${traceId}-${span}-00`, traceId, false],
    [`00-${traceId}-${span}-03`, traceId, true],
    [`cc-${traceId}-${span}-01-what-the-future-will-be-like`, traceId, true],
    [`00-${traceId}-${span}-01-more`, null, null],
    [`ff-${traceId}-${span}-01`, null, null],
    [`00-${'0'.repeat(32)}-${span}-01`, null, null],
    [`00-${traceId}-${'0'.repeat(16)}-01`, null, null],
    [`00-${traceId.toUpperCase()}-${span}-01`, null, null],
    [`00-${traceId}-${span}`, null, null],
    [`00-${traceId}-${span}-01\nx`, null, null],
    ['', null, null],
    [null, null, null],
  ]
  test.each(facts)('%p', (field, id, isSampled) => {
    const trace = parseTraceparent(field)
    expect(trace?.id ?? null).toBe(id)
    if (id !== null) expect(trace).toMatchObject({ parentSpan: span, isSampled })
  })
})

test('work belongs to the trace in which it began, also after a pause', async () => {
  const seen: (string | null)[] = []
  const work = async (): Promise<void> => {
    await Promise.resolve()
    seen.push(currentTrace()?.id ?? null)
  }
  const [one, other] = [newTrace(), traceOf(traceId)]
  await Promise.all([inTrace(one, work), inTrace(other, work), work(), inTrace(null, work)])
  expect(seen).toEqual([one.id, traceId, null, null])
  expect(one.id).toMatch(/^[0-9a-f]{32}$/)
})
