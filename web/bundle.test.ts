import { beforeAll, expect, test } from 'bun:test'

const texts = new Map<string, string>()

beforeAll(async () => {
  const { outputs } = await Bun.build({
    entrypoints: [`${import.meta.dir}/index.html`],
    minify: true,
    splitting: true,
    publicPath: '/',
    naming: { chunk: '[name]-[hash].[ext]' },
    external: ['/fonts/*'],
    define: { 'process.env.NODE_ENV': '"production"', HAS_STYLEGUIDE: 'false' },
  })
  for (const output of outputs) {
    // Loaded when a folder has a `sitehost.json`.
    if (output.path.includes('read-site-file-')) continue
    const type = output.type.split(';')[0] ?? ''
    texts.set(type, (texts.get(type) ?? '') + (await output.text()))
  }
})

test('the page has nothing inline: its policy allows scripts and styles of its own origin only', () => {
  const html = textOf('text/html')
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i)
  expect(html).not.toMatch(/(?:src|href)="(?!\/)/)
})

test('the style sheet fetches fonts of its own origin only', () => {
  const fetched = textOf('text/css').match(/url\([^)]*\)|@import.{20}/g) ?? []
  expect(fetched.filter((each) => !/^url\(\/fonts\/[\w.-]+\.woff2\)$/.test(each))).toEqual([])
  expect(fetched.length).toBe(2)
})

test('the script runs in a browser, and is not made for developers', () => {
  const script = textOf('text/javascript')
  // #site is written for the server: what of it comes along must not need the server's globals
  expect(script.match(/\b(?:Buffer|Bun|require)\b.{20}/g)).toBeNull()
  expect(script.match(/\beval\(|new Function\(/g)).toBeNull()
  expect(script.match(/jsxDEV/g)).toBeNull()
})

test('of the contract only types came along', () => {
  const script = textOf('text/javascript')
  // zod keeps what it knows of a schema under this name; the texts are of a declaration.
  expect(script.match(/.{20}_zod.{20}|strictObject|Begins a sign-in/g)).toBeNull()
  expect(script).toContain('POST /api/auth/signin')
})

test('the table of media types did not come along', () => {
  expect(textOf('text/javascript').match(/.{20}vnd\.ms-excel.{20}/g)).toBeNull()
})

const textOf = (type: string): string => texts.get(type) ?? `no ${type} in the bundle`
