import { describe, expect, test } from 'bun:test'
import { createRouter, type Route, routeHost } from './route.ts'

const hosts = { applicationHost: 'app.example', baseDomain: 'sites.example' }
const label = `s--${'a2'.repeat(13)}`
const version = `v--${'a2'.repeat(13)}`

const application: Route = { kind: 'application' }
const site: Route = {
  kind: 'site',
  host: `${label}.sites.example`,
  label,
  isUnderBaseDomain: true,
  shows: 'live',
}
const preview = (host: string, alias: string, name: string): Route => ({
  kind: 'preview',
  host,
  alias,
  name,
  isUnderBaseDomain: true,
})
const base: Route = { kind: 'base' }
const addresses: Route = { kind: 'addresses' }
const bad: Route = { kind: 'bad-host' }
const named = (host: string): Route => ({
  kind: 'named',
  host,
  isUnderBaseDomain: host.endsWith('.sites.example'),
})

const facts: [string | null, Route][] = [
  ['app.example', application],
  ['APP.example.:8080', application],
  ['app.example:', application],
  [`${label}.sites.example.:`, site],
  [`${label}.sites.example`, site],
  [`${label.toUpperCase()}.Sites.Example`, site],
  [`${label}.sites.example.`, site],
  [`${label}.sites.example:3000`, site],
  [`${label}.sites.example.:3000`, site],
  ['sites.example', base],
  ['sites.example.:80', base],
  ['sites.sites.example', addresses],
  ['www.Somebody.example.:443', named('www.somebody.example')],
  ['blog.sites.example', named('blog.sites.example')],
  // Neither one character more nor less, nor one that base32 does not have.
  [`${label}a.sites.example`, named(`${label}a.sites.example`)],
  [`${label.slice(0, -1)}.sites.example`, named(`${label.slice(0, -1)}.sites.example`)],
  [`s--${'a1'.repeat(13)}.sites.example`, named(`s--${'a1'.repeat(13)}.sites.example`)],
  [`x.${label}.sites.example`, named(`x.${label}.sites.example`)],
  [`${label}.app.example`, named(`${label}.app.example`)],
  [`${label}.sites.example.evil.test`, named(`${label}.sites.example.evil.test`)],
  [`${label}sites.example`, named(`${label}sites.example`)],
  [`${label}.notsites.example`, named(`${label}.notsites.example`)],
  ['www.app.example', named('www.app.example')],
  ['constructor.sites.example', named('constructor.sites.example')],
  [
    `${version}.sites.example`,
    { ...site, host: `${version}.sites.example`, label: version, shows: 'version' },
  ],
  [`${version}.app.example`, named(`${version}.app.example`)],
  ['pr-1--blog.sites.example', preview('pr-1--blog.sites.example', 'pr-1', 'blog.sites.example')],
  [
    `pr-1--${label.slice(3)}.sites.example`,
    preview(`pr-1--${label.slice(3)}.sites.example`, 'pr-1', label),
  ],
  [`pr-1--${label}.sites.example`, named(`pr-1--${label}.sites.example`)],
  ['x.pr-1--blog.sites.example', named('x.pr-1--blog.sites.example')],
  ['pr-1--www.blog.com', named('pr-1--www.blog.com')],
  ['127.0.0.1', named('127.0.0.1')],
  ['[::1]:3000', named('[::1]')],
  ['a'.repeat(253), named('a'.repeat(253))],
  [null, bad],
  ['', bad],
  [' ', bad],
  ['.', bad],
  [':80', bad],
  [':', bad],
  ['app.example::', bad],
  ['app.example:80:', bad],
  ['a@b', bad],
  ['app.example/x', bad],
  ['app.example?x', bad],
  ['app.example#x', bad],
  ['app.example:999999', bad],
  ['app.example:80:80', bad],
  ['app.example..', bad],
  ['app..example', bad],
  ['-app.example', bad],
  ['app_example', bad],
  ['app.exämple', bad],
  ['app.example%2e', bad],
  ['app.example\\', bad],
  // How two Host lines arrive.
  ['app.example, app.example', bad],
  [`app.example,${label}.sites.example`, bad],
  ['[::1', bad],
  ['[::ffff:127.0.0.1]', bad],
  ['a'.repeat(300), bad],
  ['a'.repeat(100_000), bad],
]

describe('a Host leads', () => {
  const router = createRouter(hosts)

  for (const [host, route] of facts) {
    test(`${String(host).slice(0, 60)} to ${route.kind}`, () => {
      expect(routeHost(host, hosts)).toEqual(route)
      expect([router(host), router(host)]).toEqual([route, route])
    })
  }

  test('to the application at an IPv6 address', () => {
    const local = { applicationHost: '[::1]', baseDomain: 'localhost' }
    expect(routeHost('[::1]:3000', local)).toEqual(application)
  })

  test('there as often as anybody asks, however many others do', () => {
    const own = router(site.host)
    for (let i = 0; i < 40_000; i++) expect(router(`${site.host}:${i}`)).toEqual(own)
    expect(router(site.host)).toEqual(own)
  })
})
