import { expect, test } from 'bun:test'
import { createSeal, SealError } from './seal.ts'

const ours = await createSeal(['secret'], 'tokens')

test('what was sealed opens again, and is not readable meanwhile', async () => {
  const sealed = await ours.seal('refresh-token', 'did:plc:a')
  expect(sealed).not.toContain('refresh')
  expect(await ours.open(sealed, 'did:plc:a')).toBe('refresh-token')
})

test('the same text never seals alike', async () => {
  expect(await ours.seal('x', 'c')).not.toBe(await ours.seal('x', 'c'))
})

const refused = async (open: Promise<string>) =>
  await expect(open).rejects.toBeInstanceOf(SealError)

test('does not open in another context, with another key or purpose, or altered', async () => {
  const sealed = await ours.seal('x', 'did:plc:a')
  await refused(ours.open(sealed, 'did:plc:b'))
  await refused((await createSeal(['other'], 'tokens')).open(sealed, 'did:plc:a'))
  await refused((await createSeal(['secret'], 'cookies')).open(sealed, 'did:plc:a'))
  const flipped = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
  await refused(ours.open(flipped, 'did:plc:a'))
  await refused(ours.open('', 'did:plc:a'))
})

test('a replaced secret still opens what it sealed, and seals no more', async () => {
  const both = await createSeal(['newer', 'secret'], 'tokens')
  expect(await both.open(await ours.seal('x', 'c'), 'c')).toBe('x')
  await refused(ours.open(await both.seal('x', 'c'), 'c'))
})
