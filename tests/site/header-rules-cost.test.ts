import { beforeAll, describe, expect, test } from 'bun:test'
import { headerValueCharsMax, ruleFileBytesMax } from '#site/limits.ts'

describe('the cost of an answer is bounded, whatever the rules and the path', () => {
  const fill = (line: (i: number) => string, linesMax = 32_000): string => {
    let text = ''
    for (let i = 0; i < linesMax; i++) {
      const next = line(i)
      if (text.length + next.length > ruleFileBytesMax) break
      text += next
    }
    return text
  }
  const names = Array.from({ length: 390 }, (_, i) => `:n${i.toString(36)}`)
  const files: [string, string][] = [
    ['different headers', `/*\n${fill((i) => `${i.toString(36)}:b\n`, 12_000)}`],
    ['one header', `/*\n${fill(() => 'a:b\n', 15_000)}`],
    ['cookies', `/*\n${fill(() => 'set-cookie:b\n', 4000)}`],
    ['removals', `/*\n${fill((i) => `!${i.toString(36)}\n`, 12_000)}`],
    ['blocks', fill(() => `/*\n${'X: :splat\n'.repeat(10)}`)],
    ['blocks of other places', fill((i) => `/${names.slice(0, i).join('/')}/*\nX: :splat\n`)],
    ['names', fill(() => `/${names.join('/').slice(0, 1900)}/*\nX: :n0:splat\n`)],
    ['values', fill(() => `/:a/*\n${`X:${':a'.repeat(5)}\n`.repeat(10)}`)],
    ['empty values', `/*\n${fill(() => `X:${':splat'.repeat(5)}\n`, 900)}`],
    ['literals', fill(() => `/${'a/'.repeat(300)}*\nX: :splat\n`)],
    ['stars', fill(() => `/${'*a'.repeat(900)}\nX: :splat\n`)],
    ['searches', fill(() => `/*${'aa//'.repeat(12)}b*\nX: :splat\n`)],
    ['long searches', fill(() => `/*${'a/'.repeat(900)}b*\nX: :splat\n`)],
    [
      'differences in the middle',
      fill(() => `/*${'b'.repeat(1200)}ac${'b'.repeat(1200)}*\nX: b\n`),
    ],
    ['short differences', fill(() => `/*${'b'.repeat(31)}ac${'b'.repeat(31)}*\nX: b\n`)],
    ['ends', fill(() => `/a*${'/a'.repeat(40)}\nX: :splat\n`)],
    [
      'long values',
      `/*\n${fill((i) => `${i.toString(36)}: ${'b'.repeat(headerValueCharsMax)}\n`)}`,
    ],
  ]
  const pathnames = ['/', '/b/c', `/${'a/'.repeat(2040)}`, `/${'b'.repeat(4000)}`]
  let ms: number[][]
  beforeAll(async () => {
    ms = await msPerAnswer(
      files.map(([, file]) => file),
      pathnames,
    )
  }, 30_000)
  test.each(files.map(([what], at) => [what, at] as const))('%s', (_, at) => {
    expect(ms[at]).toHaveLength(pathnames.length)
    for (const spent of ms[at] ?? []) expect(spent).toBeLessThan(8)
  })
})

/**
 * For each file and path. In a process of its own: here the compiler has seen the strings of all other tests, and leaves
 * the matching of patterns to slower code, or is about to.
 */
async function msPerAnswer(files: readonly string[], pathnames: readonly string[]) {
  const child = Bun.spawn({
    cmd: [process.execPath, '-e', costProgram],
    cwd: import.meta.dir,
    stdin: new Blob([JSON.stringify({ files, pathnames })]),
    stdout: 'pipe',
  })
  return (await new Response(child.stdout).json()) as number[][]
}

const costProgram = `
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { applyHeaderRules } from '#site/rules/apply-header-rules.ts'
import { parseHeaderRules } from '#site/rules/header-rules.ts'
const runs = 20
const { files, pathnames } = await Bun.stdin.json()
const ms = files.map((file) => {
  const { rules } = parseHeaderRules(file, [])
  return pathnames.map((pathname) => {
    const place = { host: 'a.test', pathname, isUnderBaseDomain: false }
    const batch = () => cpuMs(() => {
      for (let i = 0; i < runs; i++) new Headers(applyHeaderRules(rules, place, {}))
    })
    // The first runs are interpreted.
    batch()
    return batch() / runs
  })
})
process.stdout.write(JSON.stringify(ms))
`
