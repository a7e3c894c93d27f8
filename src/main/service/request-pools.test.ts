import { expect, test } from 'bun:test'
import { requestPools } from './request-pools.ts'

const starts = ['../../../bin/sitehost', '../binary.ts']
const textOf = (path: string): Promise<string> => Bun.file(new URL(path, import.meta.url)).text()

test.each(starts)(
  'all ways out together have no more requests open than Bun sends at once, as %s starts it',
  async (path) => {
    const program = await textOf(path)
    const [, sent] = /BUN_CONFIG_MAX_HTTP_REQUESTS(?:=|: ')(\d+)/.exec(program) ?? []
    const open = Object.values(requestPools).reduce((sum, { requestsMax }) => sum + requestsMax, 0)
    expect(open).toBeLessThanOrEqual(Number(sent))
  },
)

test('the sources and the binary keep freed memory as long', async () => {
  const texts = await Promise.all(starts.map(textOf))
  const delays = texts.map((text) => /MIMALLOC_PURGE_DELAY(?:-|: ')(\d+)/.exec(text)?.[1])
  expect(delays).toEqual(['30000', '30000'])
})
