import { beforeAll, expect, test } from 'bun:test'
import { biomeLint } from './support/biome-lint.ts'

const known = "const url = new URL('../x', import.meta.url)\n"

const allowed = [
  "fileURLToPath(new URL('../x', import.meta.url))",
  'await import(url.href)',
  'pathToFileURL(path).href',
  "new URL('https://sitehost.example/a').pathname",
  '(other: URL) => other.pathname + other.href.slice(1)',
  'const { host } = new URL(request.url)',
  "process.env['HOME']",
]

const refused = [
  "new URL('../x', import.meta.url).pathname",
  'Bun.file(url.pathname)',
  'url.href.slice(7)',
  "new URL('../x', import.meta.url).href.replace('file://', '')",
  'import.meta.url.slice(7)',
  'new URL(import.meta.url).pathname',
  'pathToFileURL(path).pathname',
  'Bun.pathToFileURL(path).pathname',
  "const { pathname } = new URL('../x', import.meta.url)",
  'const { pathname: path, search } = url',
  "Bun.env['HOME']",
  "import.meta.env['HOME']",
]

const rows = [...allowed, ...refused]
const fileOf = (row: string) => `src/main/row${rows.indexOf(row)}.ts`

let output = ''
beforeAll(async () => {
  output = await biomeLint(Object.fromEntries(rows.map((row) => [fileOf(row), `${known}${row}\n`])))
})
const findings = (row: string) =>
  output
    .split('\n')
    .filter((line) => line.includes(`title=plugin`) && line.includes(`/${fileOf(row)},`))

test.each(allowed)('may be written: %s', (row) => expect(findings(row)).toEqual([]))
test.each(refused)('is refused: %s', (row) => expect(findings(row)).not.toEqual([]))
