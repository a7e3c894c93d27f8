/**
 * Whether the grammar of `_redirects` refuses a line of the questions, by its text alone: nothing here is
 * shared with the parser, so that a line it refuses by mistake is noticed.
 */
export function isRefusedLine(line: string): boolean {
  const rule = partsOf(line)
  return (
    !known.has(rule.status) ||
    hasBadStar(rule.from) ||
    hasTwins(rule) ||
    isBadTarget(rule) ||
    (rule.to !== null && rule.status < 400 && leadsToItself(rule))
  )
}

interface Line {
  readonly from: string
  readonly keys: readonly string[]
  readonly to: string | null
  readonly status: number
}

function partsOf(line: string): Line {
  const [, from = '', keys = '', to = null, status = '301'] =
    /^(\S+)((?: [a-z]+=\S*)*)(?: ((?:\/|https?:)\S*))?(?: (\d+)!?)?(?: [A-Z]\S*)*$/.exec(line) ?? []
  return { from, keys: keys.split(' ').slice(1), to, status: Number(status) }
}

const known = new Set([200, 301, 302, 303, 307, 308, 404, 410, 451])

/** One, and a whole segment. */
const hasBadStar = (from: string): boolean => !/^[^*]*(?:\/\*(?:\/[^*]*)?)?$/.test(from)

const namesOf = ({ from, keys }: Line): string[] => [
  ...from.split('/').filter((segment) => /^:[a-z]\w*$/.test(segment)),
  ...keys.flatMap((key) => /=(:[a-z]\w*)$/.exec(key)?.[1] ?? []),
  ...(from.includes('*') ? [':splat'] : []),
]

const hasTwins = (rule: Line): boolean => new Set(namesOf(rule)).size < namesOf(rule).length

function isBadTarget(rule: Line): boolean {
  if (rule.to === null) return rule.status < 400
  if (!rule.to.startsWith('/') && (rule.status < 300 || rule.status >= 400)) return true
  const names = namesOf(rule)
  return (rule.to.match(/:[a-z]\w*/g) ?? []).some((name) => !names.includes(name))
}

/** The same address for every value; or one where the rule applies again, as it does at all it leads to. */
function leadsToItself(line: Line): boolean {
  const start = startOf(line)
  const first = follow(line, start)
  if (first === null) return false
  if (line.status === 200) return first.path === start.path
  if (first.path === start.path && first.query === start.query) return true
  const shape = shapeOf(line.to?.replace(/[?#].*/, '').replace(/\/:splat(?=\/|$)/, '/*') ?? '')
  if (!shape.source.includes('splat') || !shape.test(start.path)) return false
  const hops = [first]
  for (let i = 0; i < 3; i++) hops.push(follow(line, hops.at(-1) ?? first) ?? nowhere)
  return hops.every(({ path }) => path.length >= start.path.length)
}

interface Place {
  readonly path: string
  readonly query: string
}

const nowhere: Place = { path: '', query: '' }

/** An address to which the line applies, of words that no line has. */
function startOf({ from, keys }: Line): Place {
  const isName = (key: string): boolean => key.includes('=:')
  // Of several values of a key the last counts: a given one, where another word gives a name to any.
  const pairs = [...keys.filter(isName), ...keys.filter((key) => !isName(key))].map((key) =>
    key.replace(/=:(\w+)$/, '=$1~'),
  )
  return {
    path: bare(from.replace('*', 'splat~').replace(/\/:([a-z]\w*)(?=\/|$)/g, '/$1~')),
    query: [...pairs, 'extra'].join('&'),
  }
}

function follow({ from, keys, to }: Line, { path, query }: Place): Place | null {
  const match = shapeOf(from).exec(path)
  const pairs = new Map(new URLSearchParams(query))
  const asked = keys.map((key) => key.split('='))
  const holds = asked.every(([key = '', value]) =>
    value?.startsWith(':') ? pairs.has(key) : pairs.get(key) === value,
  )
  if (match === null || to === null || !to.startsWith('/') || !holds) return null
  const values = new Map(asked.map(([key = '', value = '']) => [value.slice(1), pairs.get(key)]))
  const filled = to.replace(
    /:([a-z]\w*)/g,
    (_, name) => match.groups?.[name] ?? values.get(name) ?? '',
  )
  const [, there = '', own] = /^([^?#]*)(?:\?([^#]*))?/.exec(filled) ?? []
  return { path: bare(there), query: own ?? query }
}

/** `from`, or a target with a star in it, as a regular expression: good enough for short lines. */
function shapeOf(pattern: string): RegExp {
  const source = bare(pattern)
    .split('/')
    .slice(1)
    .map((segment) => {
      if (segment === '*') return '(?:/(?<splat>.*))?'
      const name = /^:([a-z]\w*)$/.exec(segment)?.[1]
      return name === undefined ? `/${RegExp.escape(segment)}` : `/(?<${name}>[^/]+)`
    })
  return new RegExp(`^${source.join('')}/?$`)
}

const bare = (path: string): string => path.replace(/\/+/g, '/').replace(/\/$/, '')
