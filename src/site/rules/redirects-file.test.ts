import { describe, expect, test } from 'bun:test'
import { redirectConditionsMax, redirectRulesMax } from '#site/limits.ts'
import { parseRedirects } from './redirects-file.ts'

describe('lines that are skipped', () => {
  test.each([
    ['/a', 'has no target'],
    ['/a 301', 'has no target'],
    ['/a 200', 'has no target'],
    ['/a #b', 'has no target'],
    ['/a /b /c', 'cannot tell what "/c" is for'],
    ['/a 301 /b', 'cannot tell what "/b" is for'],
    ['/a /b 301 302', 'cannot tell what "302" is for'],
    ['/a /b moved', 'cannot tell what "moved" is for'],
    ['/a /b !301', 'cannot tell what "!301" is for'],
    ['/a javascript:x', 'cannot tell what "javascript:x" is for'],
    ['/a data:x,y=1', 'has no target'],
    ['/a ftp://o.test/', 'cannot tell what "ftp://o.test/" is for'],
    ['/a /b 300', 'the status 300 is not known'],
    ['/a /b 999', 'the status 999 is not known'],
    ['/a /b 3011', 'the status 3011 is not known'],
    ['a /b', '"a" is neither a path nor an address'],
    ['301 /b', '"301" is neither'],
    ['ftp://h.test/a /b', 'is neither'],
    ['https:// /b', 'is neither'],
    ['https://me:secret@h.test/a /b', 'is neither'],
    ['/a?b=1 /c', 'keys of a query are words of their own'],
    ['/a#b /c', 'is not only a path'],
    ['/a%zz /c', '"/a%zz" is not a path'],
    ['/a%2fb /c', '"/a%2fb" is not a path'],
    ['/a/../b /c', '"/a/../b" is not a path'],
    ['/*/a/* /b', 'has more than one *'],
    ['/a* /b', 'has a * inside a segment'],
    ['/*x*x*x*x! /y', 'has a * inside a segment'],
    ['/:a/:a /b', 'has :a more than once'],
    ['/:a a=:a /b', 'has :a more than once'],
    ['/:splat/* /b', 'has :splat more than once'],
    ['/s a=:a b=:a /b', 'has :a more than once'],
    ['/:a /:b', '"/:b" has :b, which nothing captures'],
    ['/a /:splat', 'has :splat, which nothing captures'],
    ['/:id /x-:idx', 'has :idx, which nothing captures'],
    ['/:id /x?y=:idx', 'has :idx, which nothing captures'],
    ['/:id /x#:idx', 'has :idx, which nothing captures'],
    ['/s =1 /b', '"=1" has no key'],
    ['/s a=%zz /b', '"a=%zz" has a bad % escape'],
    ['/a /b 301 Role=admin', '"Role=admin" is not a known condition'],
    ['/a /b Country=', 'has no value to compare with'],
    ['/a /b Country=,', 'has no value to compare with'],
    ['/a https://', 'is neither'],
    ['/:a https://:a.o.test/', 'is neither a path nor an address'],
    ['/:a https://o.test:a/', 'is neither'],
    ['/a https://me:secret@o.test/', 'is neither'],
    ['/a https://o.test/b 200', 'is not of this site'],
    ['/a/* https://o.test/:splat 404', 'is not of this site'],
    ['/a /a', 'leads to itself'],
    ['/a/ /a', 'leads to itself'],
    ['/a /a/ 302!', 'leads to itself'],
    ['/%61 /a', 'leads to itself'],
    ['/日 /%E6%97%A5', 'leads to itself'],
    ['/a /a 200', 'leads to itself'],
    ['/a /a#b', 'leads to itself'],
    ['/s id=:id /s', 'leads to itself'],
    ['/s id=:id /s 200', 'leads to itself'],
    ['/s id=:id /s?id=1 200', 'leads to itself'],
    ['/* /:splat', 'leads to itself'],
    ['/* /:splat 200', 'leads to itself'],
    ['/:a/x/* //:a/x/:splat', 'leads to itself'],
    ['/x/:a/* /x/:splat/:a', 'leads to itself again and again'],
    ['/docs/* v=:v /docs/:v/:splat', 'leads to itself again and again'],
    ['/docs/* v=:v /docs/:v/:splat?v=2', 'leads to itself again and again'],
    ['https://h.test/a /a', 'leads to itself'],
    ['http://h.test/* https://h.test/:splat', 'leads to itself'],
    ['/a\uFFFD /b', 'is not UTF-8'],
  ])('%j: %s', (line, message) => {
    const { rules, problems } = parseRedirects(`# first\n${line}\n`)
    expect(problems).toEqual([{ line: 2, message: expect.stringContaining(message) }])
    expect(rules.isEmpty).toBe(true)
    expect(parseRedirects(`${line}\n/x /y`).rules.isEmpty).toBe(false)
  })
})

describe('lines that count, but are remarked upon', () => {
  test.each([
    ['/a:b /c', 'takes a:b literally'],
    ['/:a:b:c:d:e! /y', 'takes :a:b:c:d:e! literally'],
    ['/:id.html /c', 'takes :id.html literally'],
    ['/a //o.test/b', '"//o.test/b" is taken as a path of this site'],
    ['/a /b/x:y', '"/b/x:y" has a colon that is taken literally'],
    ['/a /b?c=1 200', 'the query and fragment of "/b?c=1" have no effect with 200'],
    ['/a /b#c 404', 'have no effect with 404'],
  ])('%j: %s', (line, message) => {
    const { rules, problems } = parseRedirects(line)
    expect(problems).toEqual([{ line: 1, message: expect.stringContaining(message) }])
    expect(rules.isEmpty).toBe(false)
  })
})

test.each(['', '\n\n  \t\n', '# only a comment', '  # /a /b', '\uFEFF# with a mark at the start'])(
  '%j holds no rule and no problem',
  (text) => {
    const { rules, problems } = parseRedirects(text)
    expect(problems).toEqual([])
    expect(rules).toMatchObject({ isEmpty: true, hasForced: false, fields: [] })
  },
)

test.each([
  '/a /b',
  '\uFEFF/a /b',
  '/a\t/b\t301!  # why',
  '  /a   /b  \r',
  '/a /b #301',
  '/a /b#c',
  '/a k=v l= m=:m /b/:m?n=1 302 Country=us Language=en,de Cookie=x',
  '/a /b Country=us',
  '/a /b Country=us 302',
  '/a k=v 410 Language=en',
  '/a /b?k=/v',
  '/a /a?k=v',
  '/a /a?',
  '/a /a 404',
  '/blog post=:post_id /blog/:post_id',
  '/shop cat=:c id=:i /shop/:c/:i',
  '/ p=:id /:id 301!',
  '/x p=:id /x/:id/',
  '/:page lang=:l /:l/:page',
  '/:k k=:v /:v',
  '/s id=:id /s?',
  '/s id=:id /s?id=:id',
  '/docs/* v=:v /docs/:v/:splat?',
  '/docs/* v=1 /docs/:splat?v=2',
  '/docs/* v=:v /docs/:v/:splat 200',
  '/x/:a/* /x/:splat/:a 200',
  '/a/* /b/:splat',
  '/:a/* /b/:splat',
  '/a /%3Ab',
  '/12:30 /b:1',
  '/a%3Fb /c',
])('%j is a rule without a problem', (line) => {
  const { rules, problems } = parseRedirects(line)
  expect(problems).toEqual([])
  expect(rules.isEmpty).toBe(false)
})

test('reports whether any rule is forced', () => {
  expect(parseRedirects('/a /b\n/c /d 301!').rules.hasForced).toBe(true)
  expect(parseRedirects('/a /b\n/c /d 301').rules.hasForced).toBe(false)
})

test('as many rules as the limit count; the rest is not read', () => {
  const full = '# no rule\n/a /b\n'.repeat(redirectRulesMax)
  expect(parseRedirects(full).problems).toEqual([])
  const { rules, problems } = parseRedirects(`${full}/c /d 301!\n/e`)
  expect(problems).toEqual([
    { line: 2 * redirectRulesMax + 1, message: 'more than 2000 rules; the rest is not read' },
  ])
  expect(rules).toMatchObject({ isEmpty: false, hasForced: false })
})

describe('conditions of all rules together', () => {
  const list = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join(',')
  const facts: [string, string, number][] = [
    ['values of lists', `/a /b Cookie=${list(100)}\n`, 100],
    ['query keys', '/a k=1 l=:l m=1 n=1 /b/:l\n', 4],
  ]
  test.each(facts)('%s: as many as are allowed, and the line after them', (_, line, each) => {
    const full = line.repeat(redirectConditionsMax / each)
    expect(parseRedirects(full).problems).toEqual([])
    const { rules, problems } = parseRedirects(`${full}${line}/c /d\n`)
    expect(rules.unforced.size).toBe(redirectConditionsMax / each)
    expect(problems).toEqual([
      {
        line: redirectConditionsMax / each + 1,
        message: 'more than 4000 conditions in all; the rest is not read',
      },
    ])
  })
})
