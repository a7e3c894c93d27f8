import { expect, test } from 'bun:test'
import { requestsAtOnce } from './requests-at-once.ts'

test.each(['../../../bin/sitehost', '../binary.ts'])(
  'all ways out together have no more requests open than Bun sends at once, as %s starts it',
  async (path) => {
    const program = await Bun.file(new URL(path, import.meta.url)).text()
    const [, sent] = /BUN_CONFIG_MAX_HTTP_REQUESTS(?:=|: ')(\d+)/.exec(program) ?? []
    const open = Object.values(requestsAtOnce).reduce((sum, each) => sum + each, 0)
    expect(open).toBeLessThanOrEqual(Number(sent))
  },
)
