import { expect, test } from 'bun:test'
import { KeyRing } from './key-ring.ts'

const [old, next] = ['o'.repeat(32), 'n'.repeat(32)]
const ring = new KeyRing([old])
const signature = ring.sign('cookie did', 'value')

const facts: [string, boolean, boolean][] = [
  ['what it signed', ring.verifies('cookie did', 'value', signature), true],
  ['another value', ring.verifies('cookie did', 'valuf', signature), false],
  ['another purpose', ring.verifies('cookie sid', 'value', signature), false],
  ['no signature', ring.verifies('cookie did', 'value', ''), false],
  ['half a signature', ring.verifies('cookie did', 'value', signature.slice(0, 20)), false],
  ['not base64url', ring.verifies('cookie did', 'value', '\u{1F331} %'), false],
  [
    'after a new secret came',
    new KeyRing([next, old]).verifies('cookie did', 'value', signature),
    true,
  ],
  [
    'after the old one retired',
    new KeyRing([next]).verifies('cookie did', 'value', signature),
    false,
  ],
]
for (const [what, verifies, expected] of facts) {
  test(`${what}: ${expected ? 'verifies' : 'does not'}`, () => expect(verifies).toBe(expected))
}

test('the newest secret signs', () => {
  const rotated = new KeyRing([next, old]).sign('cookie did', 'value')
  expect(rotated).toBe(new KeyRing([next]).sign('cookie did', 'value'))
  expect(rotated).not.toBe(signature)
})

test('a signature with anything appended is none', () => {
  const keys = new KeyRing(['x'.repeat(32)])
  const signature = keys.sign('cookie', 'value')
  expect(keys.verifies('cookie', 'value', signature)).toBe(true)
  for (const tail of ['=', '==', ' ', '.']) {
    expect(keys.verifies('cookie', 'value', signature + tail)).toBe(false)
  }
})
