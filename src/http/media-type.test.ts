import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { contentTypeOf, isText, mediaTypeOf } from './media-type.ts'

test.each([
  ['index.html', 'text/html'],
  ['a/b.c/page.HTM', 'text/html'],
  ['app.js', 'text/javascript'],
  ['app.mjs', 'text/javascript'],
  ['app.cjs', 'text/javascript'],
  ['style.css', 'text/css'],
  ['app.wasm', 'application/wasm'],
  ['site.webmanifest', 'application/manifest+json'],
  ['app.js.map', 'application/json'],
  ['favicon.ico', 'image/vnd.microsoft.icon'],
  ['logo.svg', 'image/svg+xml'],
  ['font.woff2', 'font/woff2'],
  ['photo.avif', 'image/avif'],
  ['song.flac', 'audio/flac'],
  ['live.m3u8', 'application/vnd.apple.mpegurl'],
  ['feed.xml', 'application/xml'],
  ['chair.usdz', 'model/vnd.usdz+zip'],
  ['clip.m4v', 'video/x-m4v'],
  ['track.kml', 'application/vnd.google-earth.kml+xml'],
  ['track.kmz', 'application/vnd.google-earth.kmz'],
  ['table.xls', 'application/vnd.ms-excel'],
  ['table.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['talk.ppt', 'application/vnd.ms-powerpoint'],
  ['a.torrent', 'application/x-bittorrent'],
  ['add-on.xpi', 'application/x-xpinstall'],
  ['rows.parquet', 'application/vnd.apache.parquet'],
  ['book.mobi', 'application/x-mobipocket-ebook'],
  ['paper.tex', 'application/x-tex'],
  ['install.sh', 'application/x-sh'],
  ['a.rpm', 'application/x-redhat-package-manager'],
  ['ca.crt', 'application/x-x509-ca-cert'],
  ['ca.pem', 'application/x-x509-ca-cert'],
  ['phone.mobileconfig', 'application/x-apple-aspen-config'],
  ['data.tgz', 'application/gzip'],
  ['font.ttf', 'font/ttf'],
  ['font.otf', 'font/otf'],
  ['apple-app-site-association', 'application/json'],
  ['.well-known/apple-app-site-association', 'application/json'],
  ['.well-known/webauthn', 'application/json'],
  ['.well-known/web-identity', 'application/json'],
  ['.well-known/openid-configuration', 'application/json'],
  ['.well-known/matrix/server', 'application/json'],
  ['.well-known/webfinger', 'application/jrd+json'],
  ['.well-known/host-meta', 'application/xrd+xml'],
  ['.well-known/atproto-did', 'text/plain'],
  ['.well-known/assetlinks.json', 'application/json'],
  ['.well-known/unheard', 'application/octet-stream'],
  ['docs/.well-known/webauthn', 'application/octet-stream'],
  ['d/apple-app-site-association', 'application/octet-stream'],
  ['LICENSE', 'application/octet-stream'],
  ['json', 'application/octet-stream'],
  ['.html', 'application/octet-stream'],
  ['d.html/file', 'application/octet-stream'],
  ['a.', 'application/octet-stream'],
  ['a.unheard', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['a.__proto__', 'application/octet-stream'],
])('%s is %s', (path, type) => {
  expect(mediaTypeOf(path)).toBe(type)
})

test.each([
  [undefined, 'a.html', 'text/html; charset=utf-8'],
  [undefined, 'a.json', 'application/json; charset=utf-8'],
  [undefined, 'a.svg', 'image/svg+xml; charset=utf-8'],
  [undefined, 'a.png', 'image/png'],
  [undefined, 'a', 'application/octet-stream'],
  ['text/plain', 'a.html', 'text/plain; charset=utf-8'],
  ['image/png', 'a.html', 'image/png'],
  ['application/octet-stream', 'a.html', 'application/octet-stream'],
  ['Text/HTML', 'a', 'text/html; charset=utf-8'],
  ['text/html;charset=UTF-8', 'a', 'text/html; charset=utf-8'],
  ['text/html; charset="utf-8"', 'a', 'text/html; charset=utf-8'],
  ['text/html ; charset=utf8', 'a', 'text/html; charset=utf-8'],
  ['text/html; charset=iso-8859-1', 'a', 'text/html; charset=iso-8859-1'],
  ['text/html;charset="Windows-1252"', 'a', 'text/html; charset=windows-1252'],
  ['text/plain; charset=utf-16; charset=UTF-16', 'a', 'text/plain; charset=utf-16'],
  ['application/xml; charset=shift_jis', 'a', 'application/xml; charset=shift_jis'],
  ['image/png; charset=iso-8859-1', 'a', 'image/png'],
  ['application/javascript', 'a', 'application/javascript; charset=utf-8'],
  ['application/rss+xml', 'a', 'application/rss+xml; charset=utf-8'],
  ['video/mp4; codecs="avc1.42E01E"', 'a', 'video/mp4; codecs="avc1.42E01E"'],
  [
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"',
    'a',
    'application/ld+json; charset=utf-8; profile="https://www.w3.org/ns/activitystreams"',
  ],
  ['text/html; x=y', 'a', 'text/html; charset=utf-8'],
  ['image/png; charset=utf-8', 'a', 'image/png'],
])('a record that claims %j for %s is sent as %s', (claim, path, sent) => {
  expect(contentTypeOf(claim, path)).toBe(sent)
})

const refused = [
  '',
  ';',
  'text',
  'text/',
  '/html',
  'text/html/x',
  'text/ht ml',
  'text/html\r\nSet-Cookie: a=b',
  'text/html;\r\n charset=utf-8',
  'text/html; charset=utf-8\n',
  'text/html\0',
  'text/hтml',
  'text/html; charset=utf-7',
  'text/html; charset=UTF7',
  'text/html; charset="unicode-1-1-utf-7"',
  'text/html; charset=""',
  'text/html; charset="a b"',
  'text/html; charset=utf-8; charset=utf-7',
  'text/html; charset',
  'text/html;',
  'text/html; x="a;b"',
  'text/html, text/plain',
  `text/${'a'.repeat(251)}`,
  `text/${'a'.repeat(10_000)}`,
]

test.each(refused)('a record that claims %j is sent as octet-stream', (claim) => {
  expect(contentTypeOf(claim, 'index.html')).toBe('application/octet-stream')
})

test('a claim of 255 characters is the longest', () => {
  expect(contentTypeOf(`font/${'a'.repeat(250)}`, 'a')).toHaveLength(255)
})

test('whatever is claimed, a header can carry what is sent', () => {
  const claim = fc.oneof(
    anyText(),
    fc.string().map((parameter) => `text/html; charset=${parameter}`),
    fc.string().map((parameter) => `text/html; codecs="${parameter}"`),
  )
  fc.assert(
    fc.property(claim, (mimeType) => {
      expect(contentTypeOf(mimeType, 'a.html')).toMatch(/^[\x20-\x7e]+$/)
    }),
  )
})

test('scripts, data and pages are text, pictures and programs are not', () => {
  expect(['text/css', 'application/json', 'image/svg+xml'].every(isText)).toBe(true)
  expect(['image/png', 'application/wasm', 'application/octet-stream'].some(isText)).toBe(false)
})
