import fc from 'fast-check'

/** A `_redirects`, and a request that was made up with one of its rules in mind. */
export interface RedirectQuestion {
  readonly lines: readonly string[]
  /** Percent-encoded as encodeURIComponent does. */
  readonly pathname: string
  /** With its question mark, or empty. */
  readonly search: string
  readonly country: string
  /** An `Accept-Language`. */
  readonly language: string
  /** A `Cookie`. */
  readonly cookie: string
}

/** Few words, many ways to put them together, so that most rules are close to matching. */
export const redirectQuestion: fc.Arbitrary<RedirectQuestion> = fc
  .array(fc.nat({ max: 999 }), { minLength: 150, maxLength: 150 })
  .map((choices) => {
    let at = 0
    // Zeros, to which a failing run shrinks, choose what comes first and is simplest.
    return questionOf(
      (...texts) => texts[(choices[at++ % choices.length] ?? 0) % texts.length] ?? '',
    )
  })

type Pick = (...texts: [string, ...string[]]) => string

function questionOf(pick: Pick): RedirectQuestion {
  const force = pick('', '!')
  const rules = several(pick, ['1', '2', '3', '4'], () => ruleOf(pick))
  const meant = rules[Number(pick('0', '1', '2', '3')) % rules.length] ?? ruleOf(pick)
  return {
    lines: rules.map((rule) => lineOf(rule, force)),
    pathname: pathFor(meant, pick),
    search: searchFor(meant, pick),
    country: pick('US', 'DE', 'JP'),
    language: pick('en', 'zh-CN', 'zh', 'fr, de', 'en;q=0.1, de', ''),
    cookie: pick('', 'x=1', 'z=1', 'w=1'),
  }
}

interface Rule {
  readonly from: readonly string[]
  readonly query: readonly string[]
  readonly to: string
  readonly status: string
  readonly conditions: readonly string[]
}

function ruleOf(pick: Pick): Rule {
  const from = several(pick, ['', '1', '1', '2', '2', '3', '4'], () => segment(pick))
  const query = several(pick, ['', '', '', '1', '2'], () =>
    pick('k=1', 'k=:q', 'l=:c', 'k=2', 'l=x', 'k=1', 'k=:q', 'l=:c', 'k=', 'k=%20'),
  )
  const conditions = several(pick, ['', '', '', '', '1', '2'], () =>
    pick(
      'Country=us',
      'Country=DE,fr',
      'Language=en',
      'Language=zh,de',
      'Language=zh-CN',
      'Cookie=x',
      'Cookie=y,z',
    ),
  )
  const status = pick('', '', '301', '302', '303', '307', '308', '200', '404', '410', '451', '500')
  return { from, query, to: target(pick, [...from, ...query]), status, conditions }
}

const several = <T>(pick: Pick, counts: [string, ...string[]], make: () => T): T[] =>
  Array.from({ length: Number(pick(...counts)) }, make)

const literals = ['a', 'b', 'ab', 'x.html', 'caf%C3%A9', 'a%20b', 'c-d', '12'] as const

function segment(pick: Pick): string {
  const kind = pick('literal', 'literal', 'literal', 'name', 'name', '*', '*', 'odd')
  if (kind === 'literal') return pick(...literals)
  if (kind === 'name') return pick(':a', ':b', ':ab', ':a_1')
  return kind === '*' ? '*' : pick('b:a', '*a', ':a-b', 'a+b', 'a(b')
}

function target(pick: Pick, words: readonly string[]): string {
  const names = words.flatMap((word) => (word === '*' ? [':splat'] : (/:\w+$/.exec(word) ?? [])))
  const name = (): string => pick(':q', ...names, ...names, ...names, ...names)
  const place = (): string => {
    const kind = pick('literal', 'literal', 'name', 'name', 'name', 'odd')
    if (kind === 'literal') return pick(...literals)
    return kind === 'name' ? name() : pick('é', 'x', '', `${name()}-${name()}`, `${name()}.html`)
  }
  const path = several(pick, ['', '1', '2', '3'], place).join('/')
  const start = pick('/', '/', '/', '/', '/', 'https://o.test/', 'http://o.test:8080/', '//', '')
  return `${start}${path}${start === '' ? '' : pick('', '', '/', '?k=1', `?q=${name()}`, '#top')}`
}

function lineOf({ from, query, to, status, conditions }: Rule, force: string): string {
  const word = status === '' && force !== '' ? '301' : status
  const answer = word === '' ? '' : word + force
  const isTarget = to.startsWith('/') || to.startsWith('http')
  return [`/${from.join('/')}`, ...query, isTarget ? to : '', answer, ...conditions]
    .filter((part) => part !== '')
    .join(' ')
}

function pathFor({ from }: Rule, pick: Pick): string {
  const asked = from.flatMap((segment) => {
    if (segment === '*') return several(pick, ['', '1', '2'], () => pick(...literals))
    return segment.startsWith(':') ? [pick(...literals, '%3Aa')] : [segment]
  })
  const extra = several(pick, ['', '', '', '', '1'], () => pick(...literals))
  const path = [...asked, ...extra].map((text) => encodeURIComponent(decodeURIComponent(text)))
  return `/${path.join(pick('/', '/', '/', '/', '//'))}${path.length > 0 ? pick('', '', '', '/') : ''}`
}

function searchFor({ query }: Rule, pick: Pick): string {
  const pairs = query.map((word) => word.replace(/:\w+/, () => pick('x', '', 'a%2Fb+c', '%C3%A9')))
  const extra = several(pick, ['', '', '', '1'], () => pick('k=1', 'k=2', 'z=1', 'k'))
  const all = pick('', '', '', 'turned') === '' ? [...pairs, ...extra] : [...extra, ...pairs]
  return all.length === 0 ? '' : `?${all.join('&')}`
}
