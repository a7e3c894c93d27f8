import { expect, test } from 'bun:test'
import { fontPaths, formTokens, pageTokens } from './page-tokens.ts'

const web = (name: string) => Bun.file(new URL(`../../../web/${name}`, import.meta.url)).text()

test('the tokens are those of the web app', async () => {
  const sheet = (await web('tokens.css')).replace(/\s+/g, '')
  const tokens = (pageTokens + formTokens).match(/--[\w-]+:light-dark\([^)]*\)/g) ?? []
  expect(tokens.length).toBe(12)
  expect(tokens.filter((token) => !sheet.includes(`${token};`))).toEqual([])
})

test('so are the fonts', async () => {
  const sheet = await web('fonts.css')
  for (const path of Object.values(fontPaths)) expect(sheet).toContain(`url("${path}")`)
})
