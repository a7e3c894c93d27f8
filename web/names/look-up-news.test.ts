import { describe, expect, test } from 'bun:test'
import { lookUpNews } from './look-up-news.ts'

const domain = 'www.example.com'
const error = 'There is no TXT record.'
const warning = 'Put it back before 2026-11-30.'
const found = { success: true, verified: true, error: null, found: true }
const missed = { success: false, verified: false, error, found: false }
const pending = { domain, verified: false, lastCheckedAt: null, warning: null }
const mine = { domain, verified: true, lastCheckedAt: '2026-11-22T00:00:00.000Z', warning: null }
const later = { lastCheckedAt: '2026-11-22T01:00:00.000Z' }

describe('a look-up', () => {
  test('that found the record', () => {
    const told = { news: `${domain} is verified.`, problem: null }
    expect(lookUpNews(pending, found, mine)).toEqual(told)
    expect(lookUpNews(mine, found, { ...mine, ...later })).toEqual(told)
  })

  test('that did not, of a domain to be verified', () => {
    const after = { ...pending, ...later, warning }
    expect(lookUpNews(pending, missed, after)).toEqual({
      news: `${domain} is not verified yet.`,
      problem: null,
    })
  })

  test('that did not, of a verified one: until when it is served, its warning says', () => {
    expect(lookUpNews(mine, missed, { ...mine, ...later, warning })).toEqual({
      news: `${domain} is still verified, but its TXT record does not show it any more.`,
      problem: null,
    })
  })

  test('by which it is lost', () => {
    const after = { ...mine, ...later, verified: false, warning }
    expect(lookUpNews(mine, missed, after).news).toBe(`${domain} is not verified any more.`)
  })

  test('that nobody answered proves nothing', () => {
    for (const row of [pending, mine, { ...mine, warning }]) {
      const told = { news: `${domain} could not be looked up.`, problem: error }
      expect(lookUpNews(row, missed, row)).toEqual(told)
    }
  })

  test('is told by its own sentence where the domain has none', () => {
    expect(lookUpNews(mine, missed, { ...mine, ...later }).problem).toBe(error)
  })
})
