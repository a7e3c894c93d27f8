import { expect, test } from 'bun:test'
import { requestPools } from './request-pools.ts'

test.each(['../../../bin/sitehost', '../binary.ts'])(
  'all ways out together have no more requests open than Bun sends at once, as %s starts it',
  async (path) => {
    const program = await Bun.file(new URL(path, import.meta.url)).text()
    const [, sent] = /BUN_CONFIG_MAX_HTTP_REQUESTS(?:=|: ')(\d+)/.exec(program) ?? []
    const open = Object.values(requestPools).reduce((sum, { requestsMax }) => sum + requestsMax, 0)
    expect(open).toBeLessThanOrEqual(Number(sent))
  },
)
