import { expect, test } from 'bun:test'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { startCollector } from '#tests/support/servers/otlp-collector.ts'
import { eventually } from './support/eventually.ts'
import { startWorld } from './support/world.ts'

test('a collector gets the traces of a publish, from the request to the version, and none of visitors', async () => {
  const collector = startCollector()
  await using _ = { [Symbol.asyncDispose]: () => collector.stop() }
  await using world = await startWorld({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
  })
  const alice = await world.signedIn('alice.test')
  const result = await alice.publish('traced', [textFile('index.html', '<h1>traced</h1>')])
  expect(await (await fetch(String(result['url']))).text()).toContain('traced')

  const spanOf = (name: string) => collector.spans.find((span) => span.name === name)
  await eventually(async () => {
    const upload = spanOf('POST /sitehost/upload-files')
    expect(upload?.attributes['http.response.status_code']).toBe(200)
    const publish = spanOf('publish')
    expect(publish).toMatchObject({
      traceId: upload?.traceId,
      attributes: { site: 'traced', outcome: 'completed' },
    })
    for (const name of ['publish.write-site', 'publish.wait-until-live']) {
      expect(spanOf(name)).toMatchObject({ parentSpanId: publish?.spanId })
    }
    const ingest = collector.spans.filter(({ name }) => name === 'ingest')
    expect(ingest.map(({ attributes }) => attributes['outcome'])).toContain('went-live')
    expect(spanOf('ingest.read-files')?.parentSpanId).toBeOneOf(ingest.map(({ spanId }) => spanId))
  })
  expect(collector.spans.filter(({ name }) => /traced|GET \/$/.test(name))).toEqual([])
}, 120_000)
