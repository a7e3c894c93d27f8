import { describe, expect, test } from 'bun:test'
import { problemOfAddresses } from './base-url.ts'

describe('an application can be at', () => {
  test.each([
    ['http://127.0.0.1:3000', 'localhost'],
    ['http://[::1]:3000', 'localhost'],
    ['http://127.0.0.1', 'sites.example.org'],
    ['https://sitehost.example.com', 'sites.example.org'],
    ['https://sitehost.example.com/', 'sites.example.com'],
    ['https://example.com', 'sites.example.com'],
    ['https://www.example.com', 'example.com'],
    ['https://sitehost.example.com:443', 'sites.example.org'],
    ['https://xn--bcher-kva.example.com', 'sites.example.org'],
  ])('%s with sites below %s', (baseUrl, baseDomain) => {
    expect(problemOfAddresses(new URL(baseUrl), baseDomain)).toBeNull()
  })
})

describe('an application cannot be at', () => {
  test.each([
    ['http://127.0.0.1:3000/app', 'localhost', /BASE_URL: an origin/],
    ['https://sitehost.example.com/app', 'sites.example.org', /BASE_URL: an origin/],
    ['https://sitehost.example.com/?a', 'sites.example.org', /BASE_URL: an origin/],
    ['https://sitehost.example.com/#a', 'sites.example.org', /BASE_URL: an origin/],
    ['https://me:word@sitehost.example.com', 'sites.example.org', /BASE_URL: an origin/],
    ['http://localhost:3000', 'localhost', /BASE_URL: use 127\.0\.0\.1/],
    ['http://sitehost.example.com', 'sites.example.org', /BASE_URL: https/],
    ['http://192.0.2.1', 'sites.example.org', /BASE_URL: https/],
    ['http://0.0.0.0:3000', 'sites.example.org', /BASE_URL: https/],
    ['https://127.0.0.1', 'sites.example.org', /BASE_URL: http at/],
    ['https://[::1]', 'sites.example.org', /BASE_URL: http at/],
    ['https://203.0.113.1', 'sites.example.org', /public DNS.*203\.0\.113\.1/],
    ['https://[2001:db8::1]', 'sites.example.org', /public DNS/],
    ['https://localhost', 'sites.example.org', /public DNS.*localhost/],
    ['https://sitehost', 'sites.example.org', /public DNS/],
    ['https://sitehost.test', 'sites.example.org', /public DNS/],
    ['https://sitehost.local', 'sites.example.org', /public DNS/],
    ['https://sitehost.example.com:8443', 'sites.example.org', /without a port/],
    ['https://sitehost.example.com', 'localhost', /BASE_DOMAIN.*localhost/],
    ['https://sitehost.example.com', 'sites.localhost', /BASE_DOMAIN.*sites\.localhost/],
    ['https://example.com', 'example.com', /BASE_DOMAIN.*share a host/],
    ['https://sites.example.com', 'example.com', /BASE_DOMAIN.*share a host/],
    ['https://s--x.example.com', 'example.com', /BASE_DOMAIN.*share a host/],
  ])('%s with sites below %s', (baseUrl, baseDomain, problem) => {
    expect(problemOfAddresses(new URL(baseUrl), baseDomain)).toMatch(problem)
  })
})
