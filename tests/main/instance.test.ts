import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#main/config/config.ts'
import { openInstance } from '#main/instance.ts'
import { openWebAssets } from '#main/web-app/web-assets.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'instance-'))
})
afterAll(() => rm(dir, { recursive: true }))

const settings = {
  INSTANCE_NAME: 'Ann’s <hosts> & "friends"',
  CONTACT: 'help@example.org',
  TERMS_URL: 'https://example.org/terms',
  FRONT_PAGE_TEXT: 'First &quot;quoted&quot;.\\n\\nSecond </title><script>alert(1)</script>',
}

test('the page says who runs it, as text whatever it is', async () => {
  const opened = await openInstance(readConfig({}, settings))
  const html = (await (await openWebAssets(opened)).get('/')?.body.text()) ?? ''
  expect(html).toContain('<title>Ann’s &lt;hosts&gt; &amp; "friends"</title>')
  expect(html).not.toContain('<script>alert')
  const { origin } = opened.instance
  const named = 'Ann’s &#60;hosts&#62; &#38; &#34;friends&#34;'
  expect(html).toContain(`<meta property="og:site_name" content="${named}"`)
  expect(html).toContain(`<meta property="og:image" content="${origin}/social-card.png"`)
  let content: string | null = null
  const read = (element: { getAttribute(name: string): string | null }): void => {
    content = element.getAttribute('content')
  }
  new HTMLRewriter().on('meta[name=instance]', { element: read }).transform(html)
  expect(JSON.parse(String(content).replaceAll('&quot;', '"'))).toEqual({
    ...opened.instance,
    contact: 'mailto:help@example.org',
    frontPageText: ['First &quot;quoted&quot;.', 'Second </title><script>alert(1)</script>'],
    logoPath: null,
  })
})

describe('the logo', () => {
  const open = (LOGO_FILE: string) => openInstance(readConfig({}, { LOGO_FILE }))

  test('is one of the pages’ files', async () => {
    const path = join(dir, 'our-logo.svg')
    await Bun.write(path, '<svg xmlns="http://www.w3.org/2000/svg"/>')
    const opened = await open(path)
    expect(opened.instance.logoPath).toBe('/logo.svg')
    const asset = (await openWebAssets(opened)).get('/logo.svg')
    expect([asset?.contentType, asset?.body.size]).toEqual(['image/svg+xml', 41])
    const assets = await openWebAssets(opened)
    expect(assets.get('/favicon.ico')).toBe(asset)
    const html = (await assets.get('/editor')?.body.text()) ?? ''
    expect(html.match(/<link[^>]*href="\/logo.svg"/g)).toEqual([
      '<link rel="icon" href="/logo.svg"',
      '<link rel="apple-touch-icon" href="/logo.svg"',
    ])
  })

  test.each([
    ['logo.gif', 'x', 'LOGO_FILE: logo.gif has none of the extensions .svg, .png, .jpg, .webp'],
    ['missing.png', null, 'cannot be read (ENOENT)'],
    ['large.png', 'x'.repeat(256 * 1024 + 1), 'has over 256 KiB'],
  ])('%s is refused', async (name, text, message) => {
    if (text !== null) await Bun.write(join(dir, name), text)
    expect(open(join(dir, name))).rejects.toThrow(message)
  })
})
