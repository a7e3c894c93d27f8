import { describe, expect, test } from 'bun:test'
import type { Handle } from '@atcute/lexicons/syntax'
import { DnsHandleResolver } from './dns-handle-resolver.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

/** What a handle leads to, or the name of the error, when its TXT records have these values. */
async function found(values: readonly string[] | null, handle: Handle = 'alice.example') {
  const asked: string[] = []
  const resolver = new DnsHandleResolver(async (name) => {
    asked.push(name)
    return values === null ? { answered: false, reason: 'silent' } : { answered: true, values }
  })
  const answer = await resolver.resolve(handle).catch((error: Error) => error.name)
  return { answer, asked }
}

describe('a handle', () => {
  test.each([
    ['one that says so', [`did=${did}`], did],
    ['one among others', ['v=spf1', `did=${did}`, 'DID=x'], did],
    ['none', [], 'DidNotFoundError'],
    ['others', ['v=spf1', did], 'DidNotFoundError'],
    ['two', [`did=${did}`, `did=${did}`], 'AmbiguousHandleError'],
    ['one that is no DID', ['did=alice'], 'InvalidResolvedHandleError'],
    ['a DID of another kind', ['did=did:key:z'], 'InvalidResolvedHandleError'],
    ['no server answers', null, 'FailedHandleResolutionError'],
  ])('%s', async (_, values, answer) => expect((await found(values)).answer).toBe(answer))

  test('is asked for in lower case', async () => {
    expect((await found([], 'Alice.Example')).asked).toEqual(['_atproto.alice.example'])
  })
})

test('an abort ends the look-up, and is no answer', async () => {
  const stop = new AbortController()
  let given: AbortSignal | undefined
  const resolver = new DnsHandleResolver(async (_, signal) => {
    given = signal
    stop.abort(new Error('stopped'))
    return { answered: false, reason: 'silent' }
  })
  await expect(resolver.resolve('alice.example', { signal: stop.signal })).rejects.toThrow(
    'stopped',
  )
  expect(given?.aborted).toBe(true)
})
