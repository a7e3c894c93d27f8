import { expect, test } from 'bun:test'
import { requestsAtOnce } from './requests-at-once.ts'

test('all ways out together have no more requests open than Bun sends at once', async () => {
  const program = await Bun.file(new URL('../../bin/sitehost', import.meta.url)).text()
  const [, sent] = /BUN_CONFIG_MAX_HTTP_REQUESTS=(\d+)/.exec(program) ?? []
  const open = Object.values(requestsAtOnce).reduce((sum, each) => sum + each, 0)
  expect(open).toBeLessThanOrEqual(Number(sent))
})
