import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parsePlain } from 'netlify-redirector'
import { preferredLanguage } from '#http/accept-language.ts'
import { parseRequestPath } from '#site/request-path.ts'
import { matchRedirect } from '#site/rules/match-redirect.ts'
import { parseRedirects } from '#site/rules/redirects-file.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import {
  type RedirectQuestion,
  redirectQuestion,
} from '#tests/support/visitors/redirect-questions.ts'
import { isRefusedLine } from '#tests/support/visitors/refused-lines.ts'

// The engine that Netlify serves with, asked the same as ours. `FUZZ_RUNS=100000` asks more.
const numRuns = fuzzRunsOf(2000)

/** `301 /new?a=1`; null when no rule applies. */
type Answer = string | null

/** Where the two may differ, and why; all else is a mistake. */
interface Difference {
  readonly why: string
  readonly examples: readonly [line: string, address: string, ours: Answer, theirs: Answer][]
  /** Puts a question to them so that the difference does not arise. */
  readonly rephrase?: (question: RedirectQuestion) => RedirectQuestion
  /** Writes the answers of both in the same way. */
  readonly settle?: (answer: string) => string
  /** Where it can only be let pass. */
  readonly excuses?: (question: RedirectQuestion, ours: Answer, theirs: Answer) => boolean
}

const differences: readonly Difference[] = [
  {
    why: 'they know more, or say less, than a line that the grammar refuses',
    examples: [
      ['/a* /b', '/ax', null, '301 /b'],
      ['/*/a/* /b', '/a', null, '301 /b'],
      ['/a /b 500', '/a', null, '500 /b'],
      ['/:a /:b', '/x', null, '301 /:b'],
      ['/a https://o.test/ 200', '/a', null, '200 https://o.test/'],
      ['/a /a', '/a', null, '301 /a'],
      ['/a/* k=:v /a/:v/:splat', '/a/b?k=1', null, '301 /a/1/b?k=1'],
    ],
    // Only what is refused by both: a line that we refuse and the grammar does not is asked of them.
    rephrase: (question) => ({
      ...question,
      lines: question.lines.filter((line) => isAccepted(line) || !isRefusedLine(line)),
    }),
  },
  {
    why: 'we take conditions without a status',
    examples: [['/a /b Country=US', '/a', '301 /b', null]],
    rephrase: inEachLine(/^(\/\S*(?: [^ /]\S*)* (?:\/|http)\S*)(?= [A-Z])/, '$1 301'),
  },
  {
    why: 'we need no page of the site to say that something is missing',
    examples: [['/a 410', '/a', '410 ', null]],
    rephrase: inEachLine(/^(\/\S*(?: [^ /=]+=\S*)*) (?=(?:404|410|451)\b)/, '$1 /none '),
    settle: (answer) => answer.replace(/ $/, ' /none'),
  },
  {
    why: 'we compare what is asked for, however it is encoded; a name is a whole segment of it',
    examples: [
      ['/%61 /b', '/a', '301 /b', null],
      ['/a+b /b', '/a%2Bb', '301 /b', null],
      ['/:a-b /b', '/x', null, '301 /b'],
    ],
    rephrase: inEachLine(/^\S+/, encodeFrom),
  },
  {
    why: 'we never take one name for the start of another',
    examples: [['/:id/:idx /:idx/:id', '/1/2', '301 /2/1', '301 /1x/1']],
    // No name is the start of another here.
    rephrase: inEachLine(/:(?!splat)[a-z]\w*/g, (name) => `:${Buffer.from(name).toHex()}z`),
  },
  {
    why: 'to us repeated slashes are one, in a request',
    examples: [['/a/b /c', '/a//b', '301 /c', null]],
    rephrase: (question) => ({ ...question, pathname: question.pathname.replace(/\/+/g, '/') }),
  },
  {
    why: 'to us repeated slashes are one, in a target; two at its start would be another host',
    examples: [
      ['/a/* //evil.test/:splat', '/a/b', '301 /evil.test/b', '301 //evil.test/b'],
      ['/a/* /:splat/b', '/a', '301 /b', '301 //b'],
    ],
    settle: (answer) => answer.replace(/(?<= )\/[^?#]*/, (path) => path.replace(/\/+/g, '/')),
  },
  {
    why: 'we send visible ASCII, and values as they are encoded in a path',
    examples: [
      ['/a /é', '/a', '301 /%C3%A9', '301 /é'],
      ['/a/* /b/:splat', '/a/x(y:z', '301 /b/x(y%3Az', '301 /b/x(y:z'],
      ['/a k=:v /:v?', '/a?k=b+c', '301 /b%20c', '301 /b+c?'],
    ],
    settle: (answer) => decodeURIComponent(answer.replaceAll('+', ' ')),
  },
  {
    why: 'we decode what a key must be equal to, which may be nothing',
    examples: [
      ['/a k= /b', '/a?k=', '301 /b?k=', null],
      ['/a k=%20 /b', '/a?k=%20', '301 /b?k=%20', null],
    ],
    excuses: ({ lines }) => lines.some((line) => / [a-z]=(?:%20)?(?= |$)/.test(line)),
  },
  {
    why: 'to us a key without a value is there',
    examples: [['/a k=:v /b', '/a?k', '301 /b?k', null]],
    excuses: ({ search }) => /[?&][a-z](?=&|$)/.test(search),
  },
  {
    why: 'we send no one to where they are, a slash at the end more or less',
    examples: [
      ['/:a /x', '/x', null, '301 /x'],
      ['/:a/* /:a/', '/x', null, '301 /x/'],
    ],
    excuses: (question, ours, theirs) =>
      ours === null && /^3/.test(theirs ?? '') && leadsBack(question, theirs),
  },
  {
    why: 'a * that leads to the address itself or above it stops them; it is a loop at /a only',
    examples: [
      ['/a/* /a', '/a/b', '301 /a', null],
      ['/* /', '/b', '301 /', null],
      ['/:a/* /x', '/x/b', '301 /x', null],
      ['/* /en', '/entry', '301 /en', null],
      ['/*/a /a 404', '/a', '404 /a', null],
    ],
    excuses: (question, _, theirs) =>
      theirs === null && question.lines.some((line) => leadsToOrAbove(line, question)),
  },
  {
    why: 'whoever is below /x is not led there by /x/:splat; we see in more cases whether it would end',
    examples: [
      ['/* /x/:splat', '/x/a', null, null],
      ['/x/* /x/:splat/y', '/x/a', '301 /x/a/y', null],
      ['/* /en/:splat', '/entry', '301 /en/entry', null],
      ['/x/:a/* /x/:splat', '/x/a/b', '301 /x/b', null],
      ['/:a/* /x/:a/:splat', '/x/a/b', null, '301 /x/x/a/b'],
    ],
    excuses: ({ lines, pathname }, ours, theirs) =>
      (ours === null || theirs === null) && lines.some((line) => leadsBelow(line, pathname)),
  },
  {
    why: 'whoever is where /:splat/x could have led is not led on',
    examples: [['/* /:splat/x', '/a/x', null, '301 /a/x/x']],
    excuses: ({ lines, pathname }, ours, theirs) =>
      ours === null && /^3/.test(theirs ?? '') && lines.some((line) => couldLeadTo(line, pathname)),
  },
]

test.each(
  differences.flatMap(({ why, examples }) => examples.map((all) => [why, ...all] as const)),
)('%s: %s', async (_, line, address, ours, theirs) => {
  const { pathname, search } = new URL(address, 'https://h.test')
  const visitor = { country: 'US', language: 'en', cookie: '' }
  const question = { lines: [line], pathname, search, ...visitor }
  expect({ ours: ask(question), theirs: await askNetlify(question) }).toEqual({ ours, theirs })
})

test('all else is answered as Netlify answers it', async () => {
  const count = { agreed: 0, excused: 0 }
  const property = fc.asyncProperty(redirectQuestion, async (question) => {
    const ours = settle(ask(question))
    const theirs = settle(await askNetlify(rephrase(question)))
    if (ours === theirs) count.agreed += ours === null ? 0 : 1
    else if (isExcused(question, ours, theirs)) count.excused += 1
    else expect({ ours }).toEqual({ ours: theirs })
  })
  await fc.assert(property, { numRuns, seed: 20260701 })
  // What is compared are rules that apply, and the table does not swallow them.
  expect(count.agreed).toBeGreaterThan(numRuns / 4)
  expect(count.excused).toBeLessThan(numRuns / 10)
}, 600_000)

function ask(question: RedirectQuestion): Answer {
  const { rules } = parseRedirects(question.lines.join('\n'))
  const path = parseRequestPath(question.pathname)
  if (!path.ok) throw new Error(`nobody can ask for ${question.pathname}`)
  const request = {
    method: 'GET',
    pathname: question.pathname,
    search: question.search,
    host: 'h.test',
    country: question.country,
    header: (name: string) => (name === 'cookie' ? question.cookie : question.language),
  }
  const kind = rules.hasForced ? 'forced' : 'unforced'
  const match = matchRedirect(rules, request, path.segments, kind)
  return match && `${match.status} ${match.target ?? ''}`
}

async function askNetlify(question: RedirectQuestion): Promise<Answer> {
  const matcher = await parsePlain(question.lines.join('\n'), {})
  const headers = new Map([
    ['x-country', question.country],
    ['x-language', preferredLanguage(question.language) ?? ''],
  ])
  const match = matcher.match({
    scheme: 'https',
    host: 'h.test',
    path: question.pathname,
    query: question.search.slice(1),
    getHeader: (name) => headers.get(name.toLowerCase()) ?? '',
    getCookie: (name) => (question.cookie === `${name}=1` ? '1' : ''),
  })
  matcher.delete()
  return match && `${match.status} ${passQueryOn(match.status, match.to, question.search)}`
}

/** Their engine leaves it to its caller. */
function passQueryOn(status: number, to: string, search: string): string {
  const { path, query, fragment } = partsOf(to)
  return isRedirection(status) ? `${path}${query ?? search}${fragment}` : path
}

function partsOf(to: string): { path: string; query: string | undefined; fragment: string } {
  const [, path = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(to) ?? []
  return { path, query, fragment }
}

const isRedirection = (status: number): boolean => status >= 300 && status < 400

function rephrase(question: RedirectQuestion): RedirectQuestion {
  return differences.reduce((asked, { rephrase }) => rephrase?.(asked) ?? asked, question)
}

function settle(answer: Answer): Answer {
  return answer && differences.reduce((text, { settle }) => settle?.(text) ?? text, answer)
}

function isExcused(question: RedirectQuestion, ours: Answer, theirs: Answer): boolean {
  return differences.some(({ excuses }) => excuses?.(question, ours, theirs))
}

const isAccepted = (line: string): boolean => !parseRedirects(line).rules.isEmpty

function inEachLine(
  what: RegExp,
  replacement: string | ((found: string) => string),
): (question: RedirectQuestion) => RedirectQuestion {
  const replace = typeof replacement === 'string' ? null : replacement
  return (question) => ({
    ...question,
    lines: question.lines.map((line) =>
      replace === null ? line.replace(what, String(replacement)) : line.replace(what, replace),
    ),
  })
}

function encodeFrom(from: string): string {
  const isMark = (segment: string): boolean => /^(?:\*|:[a-z]\w*)$/.test(segment)
  return from
    .split('/')
    .map((text) => (isMark(text) ? text : encodeURIComponent(decodeURIComponent(text))))
    .join('/')
}

function leadsBack({ pathname, search }: RedirectQuestion, answer: Answer): boolean {
  const [, status, to = ''] = /^(\d+) (.*)$/.exec(answer ?? '') ?? []
  const { path, query = '' } = partsOf(to)
  const isSameQuery = !isRedirection(Number(status)) || query === settleQuery(search)
  return isSameQuery && bare(path) === bare(decodeURIComponent(pathname))
}

const bare = (path: string): string => path.replace(/\/+/g, '/').replace(/\/$/, '')

const settleQuery = (search: string): string =>
  settle(`301 /${search}`)?.slice('301 /'.length) ?? ''

/** Whatever query and conditions it has: they look for loops before. */
function leadsToOrAbove(line: string, question: RedirectQuestion): boolean {
  if (!line.includes('*')) return false
  const lines = [line.replace(/ [^ /]+=\S*/g, '')]
  const { pathname } = question
  // Below the address too, for at the address itself we may not say where it would lead.
  return [pathname, `${bare(pathname)}/x`].some((asked) => {
    const answer = settle(ask({ ...question, lines, pathname: asked }))
    const { path } = partsOf(answer?.slice('301 '.length) ?? '')
    return answer !== null && bare(decodeURIComponent(pathname)).startsWith(bare(path))
  })
}

/** Whether the path begins with what goes before `:splat` in a target; to them `/entry` is below `/en`. */
function leadsBelow(line: string, pathname: string): boolean {
  const [, start] =
    / (?:https?:\/\/h\.test)?(\/+[^\s:/][^\s:]*\/):(?:\S*\/:)?splat(?![^/?#\s])/.exec(line) ?? []
  return start !== undefined && bare(pathname).startsWith(bare(start))
}

/** Whether `:splat` is a segment of a target, and the path has the other segments where they are there. */
function couldLeadTo(line: string, pathname: string): boolean {
  const [, target = ''] = / (\/[^\s?#]*)/.exec(line) ?? []
  if (!/\/:splat(?=\/|$)/.test(target)) return false
  const segments = bare(target).split('/').slice(1)
  const source = segments.map((segment) => {
    if (segment === ':splat') return '(?:/.*)?'
    return segment.startsWith(':') ? '/[^/]+' : `/${RegExp.escape(decodeURIComponent(segment))}`
  })
  return new RegExp(`^${source.join('')}$`).test(bare(decodeURIComponent(pathname)))
}
