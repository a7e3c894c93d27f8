import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { openTelemetry } from '#observe/open-telemetry.ts'
import { inTrace, newTrace } from '#observe/trace.ts'
import { type CollectedSpan, startCollector } from '#tests/support/servers/otlp-collector.ts'
import { type LoggedLine, recordingLog } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'

const collector = startCollector()
afterAll(() => collector.stop())
beforeEach(() => collector.reset())

const lines: LoggedLine[] = []
const open = (endpoint = collector.endpoint) =>
  openTelemetry({
    ...{ endpoint, part: 'main-app', version: '1.2.3', exportMsMax: 500 },
    log: recordingLog(lines),
  })
const nothing = async () => undefined
const named = (name: string): CollectedSpan | undefined =>
  collector.spans.find((span) => span.name === name)

test('spans are parts of the span in which they began, and all of the trace of the log', async () => {
  const trace = newTrace()
  {
    await using spans = open()
    await inTrace(trace, () =>
      spans.run('publish', { did: 'did:plc:a', files: 3 }, async (span) => {
        span.set('outcome', 'completed')
        await spans.run('publish.write', {}, nothing)
      }),
    )
  }
  const [whole, part] = [named('publish'), named('publish.write')]
  expect(whole).toMatchObject({ traceId: trace.id, attributes: { files: 3, outcome: 'completed' } })
  expect(whole?.parentSpanId).toBeUndefined()
  expect(part).toMatchObject({ traceId: trace.id, parentSpanId: whole?.spanId })
  expect(collector.resource).toMatchObject({
    ...{ 'service.name': 'sitehost', 'service.version': '1.2.3', 'sitehost.part': 'main-app' },
  })
})

describe('a front that began the trace', () => {
  const ofFront = { ...newTrace(), parentSpan: '00f067aa0ba902b7' }

  test('is the parent', async () => {
    {
      await using spans = open()
      await inTrace({ ...ofFront, isSampled: true }, () => spans.run('api', {}, nothing))
    }
    expect(named('api')).toMatchObject({ traceId: ofFront.id, parentSpanId: ofFront.parentSpan })
  })

  test('decides that it is not kept', async () => {
    {
      await using spans = open()
      await inTrace({ ...ofFront, isSampled: false }, () => spans.run('api', {}, nothing))
    }
    expect(collector.spans).toEqual([])
  })
})

test('a failure is that of the work, and in the span without secrets', async () => {
  {
    await using spans = open()
    const failing = spans.run('ingest', {}, () =>
      Promise.reject(new Error('postgres://me:hunter2@db/x is away')),
    )
    await expect(failing).rejects.toThrow('is away')
  }
  expect(named('ingest')?.status).toEqual({
    ...{ code: 2, message: 'Error: postgres://me:[redacted]@db/x is away' },
  })
})

test('a collector that hangs, or is not there, delays nobody and is told once', async () => {
  lines.length = 0
  collector.hang()
  for (const endpoint of [collector.endpoint, 'http://127.0.0.1:9']) {
    const spans = open(endpoint)
    const startedAt = performance.now()
    for (let n = 0; n < 5_000; n++) await spans.run('api', {}, nothing)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    await spans[Symbol.asyncDispose]()
  }
  await eventually(async () => {
    expect(lines.map(({ message }) => message)).toContain('traces not exported')
  })
})
