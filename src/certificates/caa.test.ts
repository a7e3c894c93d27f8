import { expect, test } from 'bun:test'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { caaProblem } from './caa.ts'

const accountUrl = 'https://ca.example/account/7'
const issuer = { identities: ['ca.example', 'old-ca.example'], accountUrl, method: 'http-01' }

const lookUpIn =
  (records: Readonly<Record<string, readonly string[] | null>>): LookUp =>
  async (_, name) => {
    const values = records[name]
    return values === null
      ? { answered: false, reason: 'failing' }
      : { answered: true, values: values ?? [] }
  }
const problemWith = (records: Parameters<typeof lookUpIn>[0]) =>
  caaProblem('www.shop.com', issuer, lookUpIn(records))

const ours = '0 issue "ca.example"'
const other = '0 issue "other.example"'
const allowed: readonly [string, Parameters<typeof lookUpIn>[0]][] = [
  ['no records', {}],
  ['ours', { 'www.shop.com': [ours] }],
  ['one of several', { 'www.shop.com': [other, '0 ISSUE " Old-CA.example ; policy=ev"'] }],
  ['above the host', { 'shop.com': [ours] }],
  ['at the host, whatever is above it', { 'www.shop.com': [ours], 'shop.com': [other] }],
  [
    'only for wildcards, or only an address for reports',
    { 'www.shop.com': ['0 issuewild ";"', '0 iodef "mailto:a@b.c"'] },
  ],
  ['this account', { 'shop.com': [`0 issue "ca.example; accounturi=${accountUrl}"`] }],
  ['this method', { 'shop.com': ['0 issue "ca.example; validationmethods=dns-01,http-01"'] }],
  ['an unknown tag that is not critical', { 'shop.com': ['0 tbs "x"', ours] }],
  ['nobody can tell: the authority looks itself', { 'www.shop.com': null, 'shop.com': [other] }],
]
test.each(allowed)('allowed: %s', async (_, records) => {
  expect(await problemWith(records)).toBeNull()
})

const forbidden: readonly [string, Parameters<typeof lookUpIn>[0]][] = [
  ['another authority', { 'www.shop.com': [other] }],
  ['another authority, above the host', { 'shop.com': [other] }],
  ['nobody', { com: ['0 issue ";"'] }],
  ['nobody, with an empty value', { 'shop.com': ['0 issue ""'] }],
  ['a name that ends with ours', { 'shop.com': ['0 issue "not-ca.example"'] }],
  [
    'another account',
    { 'shop.com': ['0 issue "ca.example; accounturi=https://ca.example/account/8"'] },
  ],
  ['another method', { 'shop.com': ['0 issue "ca.example; validationmethods=dns-01"'] }],
  ['an unknown tag that is critical', { 'shop.com': ['128 tbs "x"', ours] }],
]
test.each(forbidden)('forbidden: %s', async (_, records) => {
  expect(await problemWith(records)).toEndWith(
    '; to allow this service, add CAA 0 issue "ca.example"',
  )
})

test('the owner reads which record it is, and where', async () => {
  expect(await problemWith({ 'shop.com': [other, '0 issuewild ";"'] })).toBe(
    'shop.com has CAA 0 issue "other.example", CAA 0 issuewild ";"; to allow this service, add CAA 0 issue "ca.example"',
  )
})

test('for a wildcard `issuewild` counts, where there is one', async () => {
  const isAllowed = async (...records: string[]) =>
    (await caaProblem('*.shop.com', issuer, lookUpIn({ 'shop.com': records }))) === null
  expect(await isAllowed(ours)).toBe(true)
  expect(await isAllowed(other)).toBe(false)
  expect(await isAllowed(other, '0 issuewild "ca.example"')).toBe(true)
  expect(await isAllowed(ours, '0 issuewild ";"')).toBe(false)
})

test('slow answers for many labels do not hold an order: the climb has one deadline', async () => {
  let asked = 0
  // As a look-up does: empty after a while, `silent` once it is aborted.
  const slow: LookUp = async (_type, _name, signal) => {
    asked += 1
    await Bun.sleep(5)
    return signal?.aborted ? { answered: false, reason: 'silent' } : { answered: true, values: [] }
  }
  const host = `${'a.'.repeat(100)}shop.com`
  expect(await caaProblem(host, issuer, slow, { withinMs: 20 })).toBeNull()
  expect(asked).toBeLessThan(100)
})
