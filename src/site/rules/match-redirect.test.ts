import { describe, expect, test } from 'bun:test'
import { locationCharsMax } from '#site/limits.ts'
import { askRedirects, type RedirectVisitor } from '#tests/support/visitors/ask-redirects.ts'

/** `301 /new`; null when no rule applies. */
function answer(rules: string, address: string, visitor?: RedirectVisitor): string | null {
  const match = askRedirects(rules, address, visitor)
  return match && `${match.status} ${match.target}`
}

type Fact = [rules: string, address: string, answer: string | null]

const sections: Record<string, Fact[]> = {
  'statuses and order': [
    ['/a /b', '/a', '301 /b'],
    ['/a /b 302', '/a', '302 /b'],
    ['/a /b 303', '/a', '303 /b'],
    ['/a /b 307', '/a', '307 /b'],
    ['/a /b 308!', '/a', '308 /b'],
    ['/a /b.html 200', '/a', '200 /b.html'],
    ['/a /b.html 404', '/a', '404 /b.html'],
    ['/a /b.html 410', '/a', '410 /b.html'],
    ['/a /b.html 451', '/a', '451 /b.html'],
    ['/a 404', '/a', '404 null'],
    ['/a/* 410', '/a/b', '410 null'],
    ['/a 451!', '/a', '451 null'],
    ['/a /b\n/a /c', '/a', '301 /b'],
    ['/* /b\n/a /c', '/a', '301 /b'],
    ['/a /b\n/* /c', '/a', '301 /b'],
    ['/:x /b\n/a /c\n/* /d', '/a', '301 /b'],
    ['/a /b\n/a /c!', '/a', '301 /b'],
    ['/a /b\n/a /c 302!', '/a', '302 /c'],
    ['/a /b', '/x', null],
    ['', '/x', null],
  ],
  'slashes and case': [
    ['/a /b', '/a/', '301 /b'],
    ['/a/ /b', '/a', '301 /b'],
    ['/a /b', '/A', null],
    ['/a/b /c', '//a//b', '301 /c'],
    ['//a//b /c', '/a/b', '301 /c'],
    ['/ /home', '/', '301 /home'],
    ['/ /home', '/a', null],
    ['/a%20b /c', '/a%20b', '301 /c'],
    ['/日本 /c', '/%E6%97%A5%E6%9C%AC', '301 /c'],
    ['/%e6%97%a5 /c', '/日', '301 /c'],
    ['/%61 /c', '/a', '301 /c'],
    ['/a.b /c', '/axb', null],
    ['/a+b /c', '/a+b', '301 /c'],
  ],
  names: [
    ['/p/:id /q/:id', '/p/1', '301 /q/1'],
    ['/p/:id /q/:id', '/p', null],
    ['/p/:id /q/:id', '/p/1/2', null],
    ['/p/:id/:idx /q/:idx/:id', '/p/1/2', '301 /q/2/1'],
    ['/p/:y/:m/:s /q/:y-:m/:s.html', '/p/24/05/x', '301 /q/24-05/x.html'],
    ['/p/:id /q/:id/:id', '/p/1', '301 /q/1/1'],
    ['/p/:a/:b /q/:a/:b', '/p/:b/x', '301 /q/%3Ab/x'],
    ['/p/:id /q?id=:id#:id', '/p/a&b', '301 /q?id=a%26b#a%26b'],
    ['/p/:id /q/:id', '/p/a%20%E6%97%A5', '301 /q/a%20%E6%97%A5'],
    ['/p/:id.html /q', '/p/:id.html', '301 /q'],
    ['/p/:id.html /q', '/p/x.html', null],
    ['/t /q/12:30/a%3Ab', '/t', '301 /q/12:30/a%3Ab'],
  ],
  '*': [
    ['/news/* /blog/:splat', '/news', '301 /blog/'],
    ['/news/* /blog/:splat', '/news/', '301 /blog/'],
    ['/news/* /blog/:splat', '/news/a/b', '301 /blog/a/b'],
    ['/news/* /blog/:splat', '/news/a/', '301 /blog/a/'],
    ['/news/* /blog/:splat', '/newsletter', null],
    ['/* /all/:splat', '/', '301 /all/'],
    ['/*/feed /feeds/:splat', '/a/b/feed', '301 /feeds/a/b'],
    ['/*/feed /feeds/:splat', '/feed/', '301 /feeds/'],
    ['/x/*/end /t/:splat', '/x/end/end', '301 /t/end'],
    ['/:a/*/:b /t/:b/:splat/:a', '/1/2/3/4', '301 /t/4/2/3/1'],
    ['/x/* /t?u=:splat', '/x/a/b%26c', '301 /t?u=a/b%26c'],
    ['/a/* /:splat', '/a//evil.com', '301 /evil.com'],
    ['/a/* /t', '/a/b?q=1', '301 /t?q=1'],
  ],
  'the query': [
    ['/s id=:id /p/:id', '/s?id=5', '301 /p/5?id=5'],
    ['/s id=:id /p/:id', '/s?x=1&id=5', '301 /p/5?x=1&id=5'],
    ['/s id=:id /p/:id', '/s', null],
    ['/s id=:id /p/:id?', '/s?id=5', '301 /p/5'],
    ['/s id=:id /p?from=:id', '/s?id=5&x=1', '301 /p?from=5'],
    ['/s id=:id /p/:id?', '/s?id=', '301 /p/'],
    ['/s a=1 b=:b /p/:b?', '/s?b=2&a=1', '301 /p/2'],
    ['/s a=1 b=:b /p/:b?', '/s?b=2&a=3', null],
    ['/s a=1 b=:b /p/:b?', '/s?a=1', null],
    ['/s a=1 /p?', '/s?a=2&a=1', '301 /p'],
    ['/s a=1 /p?', '/s?a=1&a=2', null],
    ['/s a= /p?', '/s?a=', '301 /p'],
    ['/s a=x%20y /p?', '/s?a=x+y', '301 /p'],
    ['/s a=x+y /p?', '/s?a=x%20y', '301 /p'],
    ['/s a=:v /p/:v?', '/s?a=x%2Fy%20z', '301 /p/x%2Fy%20z'],
    ['/s a=:v /:v?', '/s?a=//evil.com', '301 /%2F%2Fevil.com'],
    ['/s a=:v /:v?', '/s?a=\\evil.com', '301 /%5Cevil.com'],
    ['/s a=:v /p?v=:v', '/s?a=1%26b=2%0d%0a', '301 /p?v=1%26b%3D2%0D%0A'],
    ['/s id=:id /p/:id\n/s /all', '/s', '301 /all'],
    ['/s /p#top', '/s?a=1', '301 /p?a=1#top'],
    ['/s /p.html 200', '/s?a=1', '200 /p.html'],
    ['/s id=1 410', '/s?id=1', '410 null'],
  ],
  'targets that are written in other ways': [
    ['/a /日本', '/a', '301 /%E6%97%A5%E6%9C%AC'],
    ['/a /%0d%0aX:y', '/a', '301 /%0d%0aX:y'],
    ['/a /wiki/Special:Search', '/a', '301 /wiki/Special:Search'],
    ['/a/:y /wiki/x:y', '/a/1', '301 /wiki/x1'],
    ['/a /100%', '/a', '301 /100%25'],
    ['/a /"<b>"', '/a', '301 /%22%3Cb%3E%22'],
    ['/a /\\evil.com', '/a', '301 /%5Cevil.com'],
    ['/a/* //evil.com/:splat', '/a/b', '301 /evil.com/b'],
    ['/a/* /:splat/x', '/a', '301 /x'],
    ['/a /b//c', '/a', '301 /b/c'],
    ['/a https://日本.test/ü', '/a', '301 https://xn--wgv71a.test/%C3%BC'],
    ['/a https://o.test', '/a', '301 https://o.test/'],
    ['/a https://o.test?x=1', '/a', '301 https://o.test/?x=1'],
    ['/a https://o.test:8080/b?x#y', '/a', '301 https://o.test:8080/b?x#y'],
    ['/a/* https://o.test//:splat', '/a/b', '301 https://o.test//b'],
    ['/a/* http://o.test/:splat', '/a/b?q=1', '301 http://o.test/b?q=1'],
    ['/a HTTPS://O.test/B', '/a', '301 https://o.test/B'],
  ],
  hosts: [
    ['https://h.test/a /b', '/a', '301 /b'],
    ['http://h.test/a /b', '/a', '301 /b'],
    ['https://H.test:8443/a /b', '/a', '301 /b'],
    ['https://h.test /b', '/', '301 /b'],
    ['https://o.test/a /b', '/a', null],
    ['https://o.test/a /b\n/a /c', '/a', '301 /c'],
    ['https://日本.test/a /b', 'https://xn--wgv71a.test/a', '301 /b'],
    ['http://h.test/* https://www.h.test/:splat 301!', '/a', '301 https://www.h.test/a'],
    ['http://h.test/* https://www.h.test/:splat 301!', 'https://www.h.test/a', null],
  ],
  'where the visitor is': [
    ['/* https://h.test/:splat', '/a', null],
    ['/* https://h.test/:splat', 'https://www.h.test/a', '301 https://h.test/a'],
    ['/* /new', '/new', null],
    ['/* /new', '/new/', null],
    ['/* /new', '/old', '301 /new'],
    ['/* /%6eew', '/new', null],
    ['/* /new\n/new /other', '/new', null],
    ['/a /a?x=1', '/a', '301 /a?x=1'],
    ['/a /a?x=1', '/a?x=1', null],
    ['/* /a?x=1', '/a', '301 /a?x=1'],
    ['/* /a?x=:splat', '/a', '301 /a?x=a'],
    ['/* /en/:splat', '/x', '301 /en/x'],
    ['/* /en/:splat', '/en/x', null],
    ['/* /en/:splat', '/en', null],
    ['/* /en/:splat', '/enx', '301 /en/enx'],
    ['/* /en/:splat 200', '/en/x', '200 /en/en/x'],
    ['/* https://h.test/en/:splat', '/en/x', null],
    ['/* https://o.test/en/:splat', '/en/x', '301 https://o.test/en/en/x'],
    ['/x/* /x/:splat/y', '/x/a', '301 /x/a/y'],
    ['/x/* /x/:splat/y', '/x/a/y', null],
    ['/:l/* /en/:l/:splat', '/a/b', '301 /en/a/b'],
    ['/:l/* /en/:l/:splat', '/en/a/b', null],
    ['/* /:splat/y 301', '/a', '301 /a/y'],
    ['/* /:splat/y 301', '/a/y', null],
    ['/* /:splat/y 301', '/a/y/b', '301 /a/y/b/y'],
    ['/:l/* /:l/x/:splat', '/a/b', '301 /a/x/b'],
    ['/:l/* /:l/x/:splat', '/a/x/b', null],
    ['/* /:splat?x=1', '/a', '301 /a?x=1'],
    ['/* /:splat?x=1', '/a?x=1', null],
    ['/en/old/* /en/:splat', '/en/old/old/x', '301 /en/old/x'],
    ['/en/old/* /en/:splat/q', '/en/old/x/q', '301 /en/x/q/q'],
    ['/blog post=:id /blog/:id', '/blog?post=1', '301 /blog/1?post=1'],
    ['/blog post=:id /blog/:id', '/blog?post=', null],
    ['/ p=:id /:id 301', '/?p=1', '301 /1?p=1'],
    ['/:page lang=:l /:l/:page', '/a?lang=de', '301 /de/a?lang=de'],
    ['/:page lang=:l /:l/:page', '/a?lang=', null],
    ['/s id=:id /s?', '/s?id=1', '301 /s'],
    ['/s id=:id /s?id=:id', '/s?id=1', null],
    ['/s id=:id /s?id=:id', '/s?id=1&x=2', '301 /s?id=1'],
    ['/docs/* v=:v /docs/:v/:splat?', '/docs/1/a?v=2', '301 /docs/2/1/a'],
    ['/docs/* v=:v /docs/:v/:splat?', '/docs/1/a', null],
    ['/* v=1 /en/:splat?v=2', '/en/a?v=1', '301 /en/en/a?v=2'],
    ['/* v=1 /en/:splat?v=1', '/en/a?v=1', null],
    ['/* v=:v /en/:splat?v=2', '/en/a?v=1', null],
    ['/* /index.html 200', '/index.html', '200 /index.html'],
    ['/a /b 200\n/b /a 200', '/a', '200 /b'],
    ['/a /b 200\n/b /a 200', '/b', '200 /a'],
    ['/a /a 404', '/a', '404 /a'],
  ],
  certificates: [
    ['/* /x', '/.well-known/acme-challenge/token', null],
    ['/* /x 200!', '/.well-known/acme-challenge/', null],
    ['/.well-known/acme-challenge/* /x', '/.well-known/acme-challenge/token', null],
    ['/* /x', '/.well-known/other', '301 /x'],
    ['/* /x', '/a/.well-known/acme-challenge/token', '301 /x'],
  ],
}

for (const [section, facts] of Object.entries(sections)) {
  describe(section, () => {
    test.each(facts)('%j, %s: %p', (rules, address, expected) => {
      expect(answer(rules, address)).toBe(expected)
    })
  })
}

describe('conditions', () => {
  const facts: [conditions: string, visitor: RedirectVisitor, holds: boolean][] = [
    ['Country=us', { country: 'US' }, true],
    ['country=US', { country: 'US' }, true],
    ['Country=us,gb', { country: 'GB' }, true],
    ['Country=us,gb', { country: 'FR' }, false],
    ['Country=us', {}, false],
    ['Language=zh', { 'accept-language': 'zh' }, true],
    ['Language=zh', { 'accept-language': 'zh-CN' }, true],
    ['Language=ZH-cn', { 'accept-language': 'zh-CN,en;q=0.5' }, true],
    ['Language=zh-CN', { 'accept-language': 'zh' }, false],
    ['Language=zh', { 'accept-language': 'zhx' }, false],
    ['Language=de', { 'accept-language': 'en, de;q=0.9' }, false],
    ['Language=de', { 'accept-language': 'en;q=0.1, de;q=0.9' }, true],
    ['Language=de,en', { 'accept-language': 'en' }, true],
    ['Language=en', {}, false],
    ['Language=en', { 'accept-language': '*' }, false],
    ['Cookie=beta', { cookie: 'a=1; beta=; c' }, true],
    ['Cookie=beta', { cookie: 'a=beta; Beta=1; betas=1' }, false],
    ['Cookie=x,beta', { cookie: 'beta' }, true],
    ['Cookie=beta', {}, false],
    ['Country=us Language=en', { country: 'US', 'accept-language': 'en' }, true],
    ['Country=us Language=en', { country: 'US', 'accept-language': 'de' }, false],
    ['Country=us Country=de', { country: 'US' }, false],
  ]
  test.each(facts)('%s of %j: %p', (conditions, visitor, holds) => {
    for (const status of ['', ' 302', ' 302!']) {
      const match = askRedirects(`/a /b${status} ${conditions}`, '/a', visitor)
      expect(match !== null).toBe(holds)
    }
  })

  test('name the request headers that they read, for caches', () => {
    const vary = (rules: string): readonly string[] | undefined => askRedirects(rules, '/a')?.vary
    expect(vary('/a /b')).toEqual([])
    expect(vary('/a /c 302 Country=us\n/a /b')).toEqual([])
    expect(vary('/a /c 302 Cookie=x\n/a /d 302 Language=de Cookie=y\n/a /b')).toEqual([
      'cookie',
      'accept-language',
    ])
  })
})

describe('a target that grows with the path', () => {
  const rules = `/a/* /b${'/:splat'.repeat(100)}`
  const tooLong = 'x'.repeat(Math.floor(locationCharsMax / 100))
  test('is followed as long as a header can hold it', () => {
    expect(answer(rules, `/a/${tooLong.slice(2)}`)).toStartWith('301 /b/xxx')
    expect(answer(rules, `/a/${tooLong}`)).toBeNull()
    expect(answer('/a /b', `/a?${'x'.repeat(locationCharsMax - 3)}`)).not.toBeNull()
    expect(answer('/a /b', `/a?${'x'.repeat(locationCharsMax - 2)}`)).toBeNull()
  })
})
