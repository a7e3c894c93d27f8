import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { cacheControlOf, isHashedAsset, mayNameHashedAsset } from './cache-control.ts'

describe('named after their content', () => {
  test.each([
    // Vite
    'assets/index-DiwrgTda.css',
    'assets/index-BUsTbdRh.js',
    'assets/index-BUsTbdRh.js.map',
    'assets/index-n_ryQ3BS.css',
    'assets/index.4d4ef5d0.js',
    'assets/index-4d4ef5d0.js',
    'assets/react-CHdo91hT.svg',
    'assets/KaTeX_Main-Regular-B22Nviop.woff2',
    'assets/fa-brands-400-D_cYUPeE.woff2',
    'assets/inter-latin-400-normal-C38fXH4l.woff2',
    'build/assets/app-4ed993c7.js',
    'docs/assets/index-BUsTbdRh.js',
    // VitePress
    'assets/chunks/framework.oP4PRFSr.js',
    'assets/guide_what-is-vitepress.md.DxZ1aabC.lean.js',
    'assets/inter-roman-latin.Di8DUHzh.woff2',
    // Docusaurus, MkDocs, Rails, Phoenix
    'assets/js/main.4f3a2b1c.js',
    'assets/js/935f2afb.1a2b3c4d.js',
    'assets/images/logo-4f3a2b1c5d6e7f8091a2b3c4d5e6f708.png',
    'assets/stylesheets/main.0253249f.min.css',
    `assets/application-${'0f1e2d3c'.repeat(8)}.css`,
    `assets/app-${'0f1e2d3c'.repeat(4)}.js.map`,
    // Next
    '_next/static/chunks/117-7e3a6e4b5c6d7e8f.js',
    '_next/static/chunks/fd9d1056-2821b0f0cad0dcd8.js',
    '_next/static/chunks/app/layout-4f6ad5b7a1a0b1a8.js',
    '_next/static/chunks/pages/_error-a05ed569030d31cf.js',
    '_next/static/chunks/main-app-0f5a2c1e8f0d0f0a.js',
    '_next/static/chunks/a6dad97d9634a72d.js',
    '_next/static/css/94fdbc56eafa2039.css',
    '_next/static/media/26a46d62cd723877-s.woff2',
    '_next/static/media/26a46d62cd723877-s.p.woff2',
    '_next/static/media/logo.8f2b7c1d.png',
    // Nuxt
    '_nuxt/404-4705c76c.mjs',
    '_nuxt/entry.4b3a5c6d.js',
    '_nuxt/9cdea4daa3ce167d5d79.js',
    '_nuxt/B1zkE2Xy.js',
    '_nuxt/entry.DxZ1a_bC.css',
    '_nuxt/builds/meta/3f9a1c2e-6b1d-4c7a-9e0f-5a4b3c2d1e0f.json',
    // SvelteKit
    '_app/immutable/entry/app.zwGlzn7J.js',
    '_app/immutable/nodes/1.CtSHgIeO.js',
    '_app/immutable/nodes/6.BWKy--Rg.js',
    '_app/immutable/chunks/index.ta-mt3DI.js',
    '_app/immutable/chunks/entry.DYFUtxpb.js',
    '_app/immutable/start-eeb7962b.js',
    '_app/immutable/assets/_layout-8454f68e.css',
    // Astro
    '_astro/index.DRf8L97S.js',
    '_astro/hoisted.4f3a2b1c.js',
    '_astro/cat.a6737dd3.png',
    '_astro/hero.CkLx9q2a_Z1vG8mK.webp',
  ])('%s', (path) => {
    expect(isHashedAsset(path)).toBe(true)
    expect(mayNameHashedAsset(JSON.stringify([`other/${path}`]))).toBe(true)
    expect(cacheControlOf(path)).toBe('public, max-age=31536000, immutable')
  })
})

describe('not, or not known to be', () => {
  test.each([
    // elsewhere
    'index.html',
    'index-BUsTbdRh.js',
    'static/js/main.4f3a2b1c.js',
    'myassets/index-BUsTbdRh.js',
    'assets2/index-BUsTbdRh.js',
    '_next/index-BUsTbdRh.js',
    '_next/data/4f3a2b1c/index.json',
    '_app/version.json',
    '_app/index.DRf8L97S.js',
    'assets',
    '4f3a2b1c/assets/index.js',
    'assets/index-BUsTbdRh.js/readme.txt',
    // without a hash
    'assets/index.js',
    'assets/main.bundle.js',
    'assets/jquery-3.7.1.min.js',
    'assets/bootstrap-5.3.0-dist.css',
    '_nuxt/builds/latest.json',
    '_next/static/chunks/webpack.js',
    '_next/static/chunks/main-app.js',
    // too short, too long
    'assets/index-BUsTbd1.js',
    'assets/index-BUsTbdRh1.js',
    'assets/index.4d4ef5d.js',
    'assets/index.4d4ef5d0a.js',
    // words and numbers
    'assets/README',
    'assets/Version2.css',
    'assets/iPhone15.png',
    'assets/my-iPhone15.png',
    'assets/OpenSans-SemiBold.woff2',
    'assets/icon-LinkedIn.svg',
    'assets/IMG_1234.jpg',
    'assets/DSC_0012.JPG',
    'assets/photo-20240115.jpg',
    'assets/app-20240115.js',
    'assets/Screenshot-2024-01-15.png',
    'assets/foto-24-01-15.png',
    'assets/photo-1080x720.jpg',
    'assets/my-pic-1.png',
    'assets/banner-v2-dark1.png',
    'assets/favicon-32x32.png',
    'assets/android-chrome-512x512.png',
    'assets/roboto-v30-latin-700.woff2',
    'assets/facade01.png',
    'assets/cafe-2024cafe.jpg',
    'assets/deadbeef.png',
    'assets/12345678.pdf',
    'assets/übergröße-12.png',
    'assets/.4d4ef5d0',
    'assets/4d4ef5d0',
  ])('%s', (path) => {
    expect(isHashedAsset(path)).toBe(false)
    expect(cacheControlOf(path)).toBe('public, max-age=0, must-revalidate')
  })
})

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test.each([
  ['hexadecimal', '0123456789abcdef', 8, 0.94],
  ['hexadecimal', '0123456789abcdef', 16, 0.99],
  ['base64url', base64url, 8, 0.9],
])('of %s hashes (%s, %d) nearly all are seen', (_, alphabet, length, share) => {
  const hash = fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
  const hashes = fc.sample(hash, { numRuns: fuzzRunsOf(2000), seed: 1 })
  const seen = hashes.filter((chars) => isHashedAsset(`assets/index-${chars.join('')}.js`))
  expect(seen.length / hashes.length).toBeGreaterThan(share)
})

test('a long name takes no longer than its length', () => {
  const spent = cpuMs(() => {
    for (const unit of ['a', 'aB1-', '0a', 'Ab', '.', '_', 'assets/'])
      isHashedAsset(`assets/${unit.repeat(100_000)}!`)
  })
  expect(spent).toBeLessThan(1000)
})
