import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

// A report that the Bun that we run does not bear out any more goes, and with it what docs/operating.md says of it.

const folder = join(import.meta.dir, '..', 'docs', 'upstream')
const reports = [...new Bun.Glob('*.md').scanSync(folder)].filter((name) => name !== 'README.md')
const textOf = (name: string): Promise<string> => Bun.file(join(folder, name)).text()
const block = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1]?.trim() ?? ''

describe.each(reports)('%s', (name) => {
  test('says what happens', async () => {
    const report = await textOf(name)
    const run = Bun.spawn([process.execPath, '-e', block(report, 'js')], { stderr: 'inherit' })
    const printed = (await new Response(run.stdout).text()).replaceAll(/\s+/g, ' ').trim()
    expect(printed).toBe(block(report, 'text').replace(/,(?= \])/, ''))
    expect(report).toContain(Bun.version)
  })

  test('is in the list', async () => {
    const [, title = ''] = /^# (.*)$/m.exec(await textOf(name)) ?? []
    const list = await textOf('README.md')
    for (const part of [`](${name})`, title]) expect(list).toContain(part)
  })
})
