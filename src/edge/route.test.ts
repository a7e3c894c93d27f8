import { describe, expect, test } from 'bun:test'
import { createRouter, type Route, routeHost } from './route.ts'

const hosts = { applicationHost: 'app.example', baseDomain: 'sites.example' }
const label = `s--${'a2'.repeat(13)}`

const application: Route = { kind: 'application' }
const site: Route = {
  kind: 'site',
  host: `${label}.sites.example`,
  label,
  isUnderBaseDomain: true,
}
const base: Route = { kind: 'base' }
const unknown: Route = { kind: 'unknown' }
const bad: Route = { kind: 'bad-host' }

const facts: [string | null, Route][] = [
  ['app.example', application],
  ['APP.example.:8080', application],
  [`${label}.sites.example`, site],
  [`${label.toUpperCase()}.Sites.Example`, site],
  [`${label}.sites.example.`, site],
  [`${label}.sites.example:3000`, site],
  [`${label}.sites.example.:3000`, site],
  ['sites.example', base],
  ['sites.example.:80', base],
  // Neither one character more nor less, nor one that base32 does not have.
  [`${label}a.sites.example`, unknown],
  [`${label.slice(0, -1)}.sites.example`, unknown],
  [`s--${'a1'.repeat(13)}.sites.example`, unknown],
  [`x.${label}.sites.example`, unknown],
  [`${label}.app.example`, unknown],
  [`${label}.sites.example.evil.test`, unknown],
  [`${label}sites.example`, unknown],
  [`${label}.notsites.example`, unknown],
  ['www.app.example', unknown],
  ['constructor.sites.example', unknown],
  ['127.0.0.1', unknown],
  ['[::1]:3000', unknown],
  ['a'.repeat(253), unknown],
  [null, bad],
  ['', bad],
  [' ', bad],
  ['.', bad],
  [':80', bad],
  ['a@b', bad],
  ['app.example/x', bad],
  ['app.example?x', bad],
  ['app.example#x', bad],
  ['app.example:', bad],
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
