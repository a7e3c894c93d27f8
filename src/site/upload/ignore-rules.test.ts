import { describe, expect, test } from 'bun:test'
import { ignoreFileBytesMax, ignoreLineCharsMax, ignoreRulesMax } from '#site/limits.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { IgnoreStepsError, parseIgnoreRules } from './ignore-rules.ts'

const ignored = (rules: string, path: string): boolean => parseIgnoreRules(rules).isIgnored(path)

/** Rules, paths that they leave out, paths that they do not. */
const facts: [string, string[], string[]][] = [
  ['', [], ['a', '#', 'a/b']],
  ['# note\n\n   \n', [], ['# note', 'note', ' ']],
  ['\\#a', ['#a', 'x/#a'], ['\\#a', 'a']],
  ['\\!a', ['!a'], ['a', '\\!a']],
  ['a#b', ['a#b'], ['a']],
  ['a  ', ['a'], ['a  ']],
  ['a\\ ', ['a '], ['a', 'a\\']],
  ['a\\  ', ['a '], ['a', 'a  ']],
  ['a\\\\ ', ['a\\'], ['a\\ ']],
  ['a\t', ['a\t'], ['a']],
  ['a\r\nb\r\n', ['a', 'b'], ['a\r']],
  ['\uFEFFa', ['a'], []],
  ['a', ['a', 'x/a', 'a/b', 'x/a/y'], ['ab', 'A', 'xa']],
  ['/a', ['a', 'a/b'], ['x/a']],
  ['x/a', ['x/a', 'x/a/b'], ['y/x/a', 'a', 'xa']],
  ['a/', ['a/b', 'x/a/b'], ['a', 'x/a']],
  ['/a/', ['a/b'], ['a', 'x/a/b']],
  ['x/a/', ['x/a/b'], ['x/a', 'y/x/a/b']],
  ['/', [], ['a', 'a/b']],
  ['*', ['a', 'a/b'], []],
  ['*.log', ['a.log', '.log', 'x/a.log'], ['a.logs', 'log']],
  ['/*.log', ['a.log'], ['x/a.log']],
  ['x/*.log', ['x/a.log'], ['x/y/a.log', 'a.log']],
  ['a*b*c', ['abc', 'axbxc', 'abbcc'], ['ab', 'acb', 'abcx']],
  ['a?c', ['abc'], ['ac', 'abbc', 'a/c']],
  ['/a?c', ['abc'], ['a/c']],
  ['?', ['x'], ['ü', '']],
  ['ü*', ['ü', 'über'], ['u']],
  ['[a-c]x', ['ax', 'bx', 'cx'], ['dx', 'x']],
  ['[!a]x', ['bx'], ['ax', 'x']],
  ['[^a]x', ['bx'], ['ax']],
  ['[]a]', [']', 'a'], ['[]a]']],
  ['[!]a]', ['b'], [']', 'a']],
  ['[a-]', ['a', '-'], ['b']],
  ['[\\]]', [']'], ['\\']],
  ['[a-c-e]', ['b', '-', 'e'], ['d']],
  ['[[:digit:]x]', ['7', 'x'], ['a', ':']],
  ['[[:upper:]]', ['A'], ['a']],
  ['/a[x/y]b', ['axb'], ['a/b', 'x/axb']],
  ['a[', [], ['a[', 'a']],
  ['[[:nope:]]', [], ['n', ':']],
  ['a\\', [], ['a', 'a\\']],
  ['\\*', ['*'], ['a', '\\*']],
  ['\\a', ['a'], ['\\a']],
  ['{a,b}', ['{a,b}'], ['a', 'b']],
  ['(a|b)+$', ['(a|b)+$'], ['a', 'b']],
  ['**', ['a', 'a/b'], []],
  ['**/a', ['a', 'x/a', 'x/y/a', 'a/b'], ['xa', 'x/ya']],
  ['**/x/a', ['x/a', 'y/x/a'], ['x/y/a', 'yx/a']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'x/a/b']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb', 'x/a/b']],
  ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c'], ['a/c', 'a/b']],
  ['a/**b', ['a/b', 'a/xb'], ['a/x/b']],
  ['x/a**/b', ['x/a/b', 'x/ac/b'], ['x/a']],
  ['*.log\n!keep.log', ['a.log'], ['keep.log', 'x/keep.log']],
  ['!keep.log\n*.log', ['keep.log'], []],
  ['a/\n!a/keep', ['a/keep'], []],
  ['a/*\n!a/keep', ['a/b'], ['a/keep']],
  ['a/*\n!a/keep/\na/keep/*\n!a/keep/b', ['a/b', 'a/keep/c'], ['a/keep/b']],
  ['*\n!*/\n!*.html', ['a.css', 'x/a.css'], ['a.html', 'x/a.html']],
  ['!', [], ['!', 'a']],
  ['!!a', [], ['!a', 'a']],
]

for (const [rules, out, kept] of facts) {
  test(`${JSON.stringify(rules)} leaves out ${out.join(', ') || 'nothing'}`, () => {
    const { isIgnored } = parseIgnoreRules(rules)
    expect(out.filter(isIgnored)).toEqual(out)
    expect(kept.filter(isIgnored)).toEqual([])
  })
}

describe('problems', () => {
  const problems: [string, number, string][] = [
    ['a\nb[', 2, '['],
    ['a\\', 1, 'backslash'],
    ['#\n[[:nope:]]', 2, 'unknown class [:nope:]'],
    ['/', 1, 'nothing'],
    [`a\n${'x'.repeat(ignoreLineCharsMax + 1)}`, 2, `${ignoreLineCharsMax} characters`],
    ['x\n'.repeat(ignoreRulesMax + 5), ignoreRulesMax + 1, `more than ${ignoreRulesMax}`],
    [`${'#\n'.repeat(ignoreFileBytesMax / 2)}a`, ignoreFileBytesMax / 2 + 1, 'longer than'],
  ]
  for (const [rules, line, message] of problems) {
    test(`of ${JSON.stringify(rules.slice(0, 20))}`, () => {
      const { problems } = parseIgnoreRules(rules)
      expect(problems).toHaveLength(1)
      expect(problems[0]).toMatchObject({ line, message: expect.stringContaining(message) })
    })
  }
  test('nothing at the limits themselves', () => {
    const line = `${'x'.repeat(ignoreLineCharsMax)}\n`
    const many = 'x\n'.repeat(ignoreRulesMax)
    const long = '#\n'.repeat(ignoreFileBytesMax / 2)
    for (const rules of [line, many, long]) expect(parseIgnoreRules(rules).problems).toEqual([])
  })
  test('of one line leave the others as they are', () => {
    expect(ignored('a[\nb', 'b')).toBe(true)
    expect(ignored(`${'#\n'.repeat(40_000)}a`, 'a')).toBe(false)
    expect(ignored(`${'b\n'.repeat(ignoreRulesMax)}a`, 'a')).toBe(false)
  })
})

describe('hostile rules', () => {
  const names = Array.from({ length: 1000 }, (_, i) => 'a'.repeat(251) + String(i).padStart(4, '0'))
  const hostile: [string, string][] = [
    ['stars', '*a*a*a*a*a*a*a*a*b'],
    ['more stars', '*a'.repeat(120)],
    ['any and stars', `${'*?'.repeat(60)}b`],
    ['folders', `${'**/*a*a*/'.repeat(8)}b`],
    ['a long tail', `*${'a'.repeat(125)}b`],
  ]
  for (const [what, rule] of hostile) {
    test(what, () => {
      const { isIgnored } = parseIgnoreRules(rule)
      const match = () => names.filter((name) => isIgnored(`${'a/'.repeat(30)}${name}`))
      expect(cpuMs(() => expect(match()).toEqual([]))).toBeLessThan(200)
    })
  }
  /** A rule that costs as many comparisons, half of them, as this path has characters. */
  const slowRule = `*${'a'.repeat(125)}b*\n`
  test('end with an error when one path takes too long, whatever is left for others', () => {
    const { isIgnored } = parseIgnoreRules(slowRule.repeat(500))
    expect(() => isIgnored(names[0] ?? '')).toThrow(IgnoreStepsError)
  })
  test('end with an error when together they take too long', () => {
    const { isIgnored } = parseIgnoreRules(slowRule.repeat(2))
    expect(isIgnored(names[0] ?? '')).toBe(false)
    const spent = cpuMs(() => expect(() => names.filter(isIgnored)).toThrow(IgnoreStepsError))
    expect(spent).toBeLessThan(200)
  })
  test('a hundred rules of real projects and 5000 paths are far from that', () => {
    const rules = Array.from(
      { length: 25 },
      (_, i) => `*.log${i}\nout${i}/\nx${i}/**/y\n!.env.${i}`,
    )
    const { isIgnored } = parseIgnoreRules(rules.join('\n'))
    for (let i = 0; i < 5000; i++) expect(isIgnored(`assets/js/chunks/module-${i}.js`)).toBe(false)
  })
})
