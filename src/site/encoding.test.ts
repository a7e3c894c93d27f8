import { expect, test } from 'bun:test'
import { mediaTypeOf } from '#http/media-type.ts'
import { isCompressible, isWorthGzip } from './encoding.ts'

test.each([
  'a.html',
  'a.js',
  'a.wasm',
  'a.svg',
  'a.json',
  'a.ttf',
  'a.pdf',
  'a.ico',
  'a.bmp',
  'a.wav',
  'LICENSE',
])('compressing %s may pay', (path) => {
  expect(isCompressible(mediaTypeOf(path))).toBe(true)
})

test.each([
  'a.png',
  'a.jpg',
  'a.webp',
  'a.avif',
  'a.mp4',
  'a.mp3',
  'a.woff2',
  'a.zip',
  'a.gz',
  'a.docx',
  'a.epub',
  'a.odt',
  'a.kmz',
  'a.usdz',
  'a.xpi',
  'a.mobi',
])('compressing %s is not tried', (path) => {
  expect(isCompressible(mediaTypeOf(path))).toBe(false)
})

test.each([
  [1000, 950, true],
  [1000, 951, false],
  [1000, 1001, false],
  [20, 19, true],
  [1, 21, false],
  [0, 0, false],
  [0, 20, false],
])('%d bytes that become %d: kept compressed? %p', (decodedBytes, gzipBytes, kept) => {
  expect(isWorthGzip(decodedBytes, gzipBytes)).toBe(kept)
})
