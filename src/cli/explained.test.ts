import { expect, test } from 'bun:test'
import { SessionEndedError } from '#atproto/oauth/session-ended.ts'
import { ServerRefusedError, ServerUnreachableError } from '#outbound/server-errors.ts'
import { SiteConflictError } from '#publish/commit-on-head.ts'
import { parseDid } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { explained, type Undertaking } from './explained.ts'

const [did, name] = [parseDid('did:plc:ewvi7nxzyoun6zhxrhs64oiz'), parseSiteName('blog')]
if (did === null || name === null) throw new Error('the fixtures are wrong')

const { signal } = new AbortController()
const refused = (status: number) =>
  new ServerRefusedError('m', { status, data: { error: 'No', message: 'not today' } })
const sentenceOf = (error: Error, undertaking: Undertaking) =>
  explained(signal, undertaking, () => Promise.reject(error)).catch(String)

const rows: readonly [string, Error][] = [
  ['unreachable', new ServerUnreachableError('m')],
  ['a conflict', new SiteConflictError({ did, name })],
  ['an ended sign-in', new SessionEndedError(did)],
  ['refused', refused(400)],
  ['a rate limit', refused(429)],
  ['a fault', refused(502)],
]

test.each(rows)('a command that publishes nothing speaks of no upload: %s', async (_, error) => {
  const changing = await sentenceOf(error, { doing: 'changing' })
  expect(changing).toMatch(/^CommandError: .*Nothing was changed\./)
  const reading = await sentenceOf(error, { doing: 'reading', server: 'The server of x' })
  expect(reading).toStartWith('CommandError: ')
  expect(changing + reading).not.toMatch(/publish|upload/)
})

test('one that publishes says whether anything was', async () => {
  const sentence = await sentenceOf(new ServerUnreachableError('m'), { doing: 'publishing' })
  expect(sentence).toContain('Nothing was published')
})

test('defects are thrown as they are', async () => {
  const defect = new TypeError('x')
  expect(await sentenceOf(defect, { doing: 'reading' })).toBe(String(defect))
})
