import { expect, test } from 'bun:test'
import { bestAddress } from './best-address.ts'

const url = 'http://s--abc.localhost:3000/'
const claimed = { type: 'sitehost', domain: 'ann.localhost' } as const
const own = { type: 'custom', domain: 'ann.example', verified: true, id: '1' } as const
const waiting = { ...own, verified: false }
const away = { ...own, pointsHere: false } as const

const secure = { ...own, certificate: { state: 'valid' } } as const
const ordered = { ...own, certificate: { state: 'ordered' } } as const
const insecure = { ...own, certificate: null }

const sites: [Omit<Parameters<typeof bestAddress>[0], 'url'>, string][] = [
  [{ domains: [], primary: null }, url],
  [{ domains: [claimed], primary: null }, 'http://ann.localhost:3000/'],
  [{ domains: [claimed, waiting], primary: null }, 'http://ann.localhost:3000/'],
  [{ domains: [waiting], primary: null }, url],
  [{ domains: [claimed, own], primary: null }, 'http://ann.example:3000/'],
  [{ domains: [claimed, away], primary: null }, 'http://ann.localhost:3000/'],
  [{ domains: [away], primary: null }, url],
  [{ domains: [claimed, secure], primary: null }, 'http://ann.example:3000/'],
  [{ domains: [claimed, ordered], primary: null }, 'http://ann.localhost:3000/'],
  [{ domains: [claimed, insecure], primary: null }, 'http://ann.localhost:3000/'],
  [{ domains: [claimed, away], primary: 'ann.example' }, 'http://ann.example:3000/'],
  [{ domains: [claimed, own], primary: 'ann.localhost' }, 'http://ann.localhost:3000/'],
]
test.each(sites)('%j is shown as %s', (site, address) => {
  expect(bestAddress({ ...site, url }).href).toBe(address)
})
