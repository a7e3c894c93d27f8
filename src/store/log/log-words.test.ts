import { describe, expect, test } from 'bun:test'
import type { LogEntry } from '#observe/log-entry.ts'
import { searchedWords, wordsOf } from './log-words.ts'

const entry: LogEntry = {
  at: 1,
  level: 'warn',
  service: 'main-app',
  message: 'publish failed',
  event: 'publish_failed',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  context: {
    did: 'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
    host: 'www.Example.com',
    version: 'bafkreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae',
    job: '4f8a1c2e-9b0d-4e5f-8a7b-6c5d4e3f2a1b',
    reason:
      'Your account’s server said “naïve”: 日本, and then it did not answer any more for minutes',
    files: 12,
  },
}
const finds = (search: string): boolean => {
  const words = searchedWords({ search })
  const had = wordsOf(entry)
  return words?.every((word) => had.has(word)) ?? false
}

describe('an entry is found by', () => {
  const facts = [
    'publish failed',
    'FAILED',
    'failed publish',
    'publ',
    'publish fai',
    'publish_failed',
    '0af7651916cd43dd8448eb211c80319c',
    'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
    'ewvi7nxzyoun6zhxrhs64oiz',
    'www.example.com',
    'example.com',
    'example.c',
    'bafkreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae',
    '4f8a1c2e-9b0d-4e5f-8a7b-6c5d4e3f2a1b',
    'naïve',
    '日本',
    'files=12',
    'account failed',
    'for minutes',
    '',
  ]
  test.each(facts)('%j', (search) => expect(finds(search)).toBe(true))
})

describe('and not by', () => {
  const facts = [
    'publish ended',
    'publ failed',
    'ublish',
    'ewvi7nxzyoun6',
    'fai ',
    'minut',
    '!?',
    '"',
    '*',
  ]
  test.each(facts)('%j', (search) => expect(finds(search)).toBe(false))
})

test('level, service and event are words that no text has', () => {
  const words = searchedWords({ level: 'warn', service: 'main-app', eventType: 'publish_failed' })
  expect(words?.every((word) => wordsOf(entry).has(word))).toBe(true)
  const message = 'level=error service=hosting-service event=x'
  const forged = wordsOf({ ...entry, event: null, message })
  for (const word of ['level=error', 'service=hosting-service', 'event=x']) {
    expect(forged.has(word)).toBe(false)
  }
})

test('words are bounded, and hold nothing that is special to a database', () => {
  const context = { text: Array.from({ length: 5000 }, (_, n) => `wörd${n}`).join(` "*'&|!:\\ `) }
  const words = wordsOf({ ...entry, context, message: `${'x'.repeat(9999)} \0` })
  expect(words.size).toBeLessThan(2_500)
  for (const word of words) expect(word).toMatch(/^[a-z0-9_^=-]{1,512}$/)
  const search = [...words].join(' ')
  expect(searchedWords({ search })?.length).toBeLessThanOrEqual(21)
})
