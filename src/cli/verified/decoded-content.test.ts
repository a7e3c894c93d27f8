import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { hollowGzip } from '#tests/support/servers/hollow-gzip.ts'
import { decodedContent } from './decoded-content.ts'

const text = 'content '.repeat(1000)
const gzip = gzipSync(text)
const base64 = (bytes: Uint8Array): Buffer => Buffer.from(Buffer.from(bytes).toString('base64'))
const asGzip = { encoding: 'gzip' } as const

test.each([
  ['plain', Buffer.from(text), {}],
  ['base64', base64(Buffer.from(text)), { base64: true }],
  ['gzip', gzip, asGzip],
  ['gzip in base64', base64(gzip), { ...asGzip, base64: true }],
] as const)('%s is decoded, up to the limit', async (_, bytes, node) => {
  const content = await decodedContent(bytes, node, text.length)
  expect(Buffer.from(content ?? []).toString()).toBe(text)
  expect(await decodedContent(bytes, node, text.length - 1)).toBeNull()
})

test.each([
  ['gzip that is none', Buffer.from(text), asGzip],
  ['two members', Buffer.concat([gzip, gzip]), asGzip],
  ['gzip that breaks off', gzip.subarray(0, -1), asGzip],
  ['gzip of empty blocks', hollowGzip('', 1_000_000), asGzip],
  ['base64 of another alphabet', Buffer.from('__--'), { base64: true }],
] as const)('%s is nobody’s content', async (_, bytes, node) => {
  expect(await decodedContent(bytes, node, 10_000_000)).toBeNull()
})
