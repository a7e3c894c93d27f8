// `bun bench/rules.ts`: what it costs to read the rules of a site, and to match a path with them: ordinary rules by
// their number, and files that are as large and as slow as they may be. Times of the processor, the best of five.
// Budget: 60 µs to match 1000 ordinary rules.

import { ruleFileBytesMax } from '#site/limits.ts'
import { applyHeaderRules } from '#site/rules/apply-header-rules.ts'
import { parseHeaderRules } from '#site/rules/header-rules.ts'
import { matchRedirect } from '#site/rules/match-redirect.ts'
import { parseRedirects } from '#site/rules/redirects-file.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'

const repeats = 500
const shortPath = '/blog/2026/post.html'
const longPath = `/${'a/'.repeat(2040)}`
/** Text like `bbacbb` differs from it in the middle, and has the same sum of letters. */
const plainPath = `/${'b'.repeat(4000)}`

type Line = (i: number) => string

const headers: Record<string, Line> = {
  '/old/1': (i) => `/old/${i}\n  X: b\n`,
  '/*.x1': (i) => `/*.x${i}\n  X: b\n`,
  '/blog/*.x1': (i) => `/blog/*.x${i}\n  X: b\n`,
  '/:a/x1': (i) => `/:a/x${i}\n  X: b\n`,
}
const redirects: Record<string, Line> = {
  '/old/1': (i) => `/old/${i} /new/${i}\n`,
  '/*/x1': (i) => `/*/x${i} /new/${i}\n`,
  '/:a/:b/x1': (i) => `/:a/:b/x${i} /new/${i}\n`,
  '/* k=1': (i) => `/* k=${i} /new/${i}\n`,
}
const hostileHeaders: Record<string, Line> = {
  'long literals': () => `/${'a/'.repeat(300)}*\nX: :splat\n`,
  'short literals': () => `/${'a/'.repeat(60)}*\nX: b\n`,
  ends: () => `/a*${'/a'.repeat(40)}\nX: :splat\n`,
  searches: () => `/*${'a/'.repeat(30)}b*\nX: b\n`,
  'differences in the middle': () => `/*${'b'.repeat(1200)}ac${'b'.repeat(1200)}*\nX: b\n`,
  'short differences': () => `/*${'b'.repeat(31)}ac${'b'.repeat(31)}*\nX: b\n`,
  stars: () => `/${'*a'.repeat(900)}\nX: b\n`,
}
const hostileRedirects: Record<string, Line> = {
  'long literals': () => `/*/${'a/'.repeat(300)}b /y\n`,
  'short literals': () => `/*/${'a/'.repeat(60)}b /y\n`,
  targets: () => `/:a/* /:a${'/:splat'.repeat(200)}\n`,
  'no rules': () => 'x\n',
}

for (const count of [1000, 2000]) {
  for (const [what, line] of Object.entries(headers)) {
    measureHeaders(`${count} blocks, ${what}`, fileOf(line, count))
  }
  for (const [what, line] of Object.entries(redirects)) {
    measureRedirects(`${count} redirects, ${what}`, fileOf(line, count))
  }
}
for (const [what, line] of Object.entries(hostileHeaders)) {
  measureHeaders(`_headers of 256 KiB: ${what}`, fileOf(line))
}
for (const [what, line] of Object.entries(hostileRedirects)) {
  measureRedirects(`_redirects of 256 KiB: ${what}`, fileOf(line))
}

/** As many lines as there may be, and as fit. */
function fileOf(line: Line, count = 200_000): string {
  let text = ''
  for (let i = 0; i < count && text.length + line(i).length <= ruleFileBytesMax; i++)
    text += line(i)
  return text
}

function measureHeaders(what: string, text: string): void {
  const { rules } = parseHeaderRules(text, [])
  const match = (pathname: string) => () =>
    void applyHeaderRules(rules, { host: 'h.test', pathname, isUnderBaseDomain: false }, {})
  report(what, () => void parseHeaderRules(text, []), match)
}

function measureRedirects(what: string, text: string): void {
  const { rules } = parseRedirects(text)
  const visitor = { method: 'GET', host: 'h.test', country: null, search: '?k', header: () => null }
  const match = (pathname: string) => {
    const segments = pathname.split('/').filter((segment) => segment !== '')
    return () => void matchRedirect(rules, { ...visitor, pathname }, segments, 'unforced')
  }
  report(what, () => void parseRedirects(text), match)
}

function report(what: string, parse: () => void, match: (pathname: string) => () => void): void {
  const us = (time: number): string => `${(time * 1000).toFixed(0)} µs`.padStart(8)
  const read = best(parse, 3).toFixed(1).padStart(5)
  const matched = [shortPath, longPath, plainPath].map((path) => us(best(match(path))))
  console.log(`${what.padEnd(50)} read ${read} ms`, ...matched)
}

function best(run: () => void, times = repeats): number {
  const rounds = Array.from({ length: 5 }, () =>
    cpuMs(() => {
      for (let i = 0; i < times; i++) run()
    }),
  )
  return Math.min(...rounds) / times
}
