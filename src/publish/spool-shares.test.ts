import { describe, expect, test } from 'bun:test'
import { type Claim, SpoolShares } from './spool-shares.ts'

const kibibyte = 1024

/** An upload that is here, or arrives so fast (null: nobody knows yet). */
function upload(facts: Partial<Claim> = {}, bytesPerSecond?: number | null) {
  const upload = {
    claim: {
      owner: crypto.randomUUID(),
      isSmall: false,
      isNewcomer: false,
      server: crypto.randomUUID(),
      arrival: null,
      ...facts,
    },
    gaveWay: false,
  }
  if (bytesPerSecond === undefined) return upload as { claim: Claim; gaveWay: boolean }
  const giveWay = () => {
    upload.gaveWay = true
  }
  return Object.assign(upload, {
    claim: { ...upload.claim, arrival: { bytesPerSecond, giveWay } } as Claim,
  })
}

const sharesOf = (bytesMax: number) => {
  const shares = new SpoolShares(bytesMax)
  return (bytes: number, { claim }: { claim: Claim }) =>
    shares.take(crypto.randomUUID(), bytes, claim)
}

describe('space for uploads', () => {
  test('beside a first upload an owner gets a quarter of it', () => {
    const take = sharesOf(1200)
    const alice = upload({ owner: 'alice' })
    const bob = upload({ owner: 'bob' })
    expect(take(900, alice)).toBe(true)
    expect(take(1, alice)).toBe(false)
    expect([take(100, bob), take(50, bob)]).toEqual([true, true])
    expect(take(300, upload({ owner: 'bob', isSmall: true }))).toBe(false)
  })

  test('an eighth is for small uploads', () => {
    const take = sharesOf(800)
    const small = () => upload({ isSmall: true })
    expect([take(700, upload()), take(1, upload())]).toEqual([true, false])
    expect([take(50, small()), take(50, small()), take(1, small())]).toEqual([true, true, false])
  })

  test('small uploads may take the rest too', () => {
    const take = sharesOf(800)
    const small = () => upload({ isSmall: true })
    expect([take(800, small()), take(1, small())]).toEqual([true, false])
  })

  test('large uploads of those who have no site yet get half of it together', () => {
    const take = sharesOf(800)
    const newcomer = () => upload({ isNewcomer: true })
    expect([take(200, newcomer()), take(200, newcomer())]).toEqual([true, true])
    expect(take(1, newcomer())).toBe(false)
    expect(take(10, upload({ isNewcomer: true, isSmall: true }))).toBe(true)
    expect(take(100, upload())).toBe(true)
  })
})

describe('what has arrived and waits', () => {
  test('is at most a quarter of it for the accounts of one server, but for a first one', () => {
    const take = sharesOf(1200)
    const ofServer = (server: string, isSmall = false) => upload({ server, isSmall })
    expect([take(200, ofServer('a')), take(100, ofServer('a'))]).toEqual([true, true])
    expect(take(1, ofServer('a'))).toBe(false)
    expect(take(500, ofServer('b'))).toBe(true)
    expect(take(1, ofServer('b'))).toBe(false)
    expect(take(100, ofServer('a', true))).toBe(true)
  })

  test('is counted before anybody sends, and what still arrives is not', () => {
    const take = sharesOf(1200)
    const arriving = () => upload({ server: 'a' }, null)
    expect([take(200, arriving()), take(200, arriving())]).toEqual([true, true])
    expect(take(300, upload({ server: 'a' }))).toBe(true)
    expect(take(1, arriving())).toBe(false)
  })

  test('without a known server is counted together', () => {
    const take = sharesOf(1200)
    const unknown = () => upload({ server: null })
    expect([take(300, unknown()), take(1, unknown())]).toEqual([true, false])
  })
})

describe('where it is short', () => {
  test('the slowest gives way, and no more than have to', () => {
    const take = sharesOf(800)
    const uploads = [9, 20, 30].map((kib) => upload({ isSmall: true }, kib * kibibyte))
    for (const each of uploads) take(200, each)
    take(200, upload({ isSmall: true }))
    expect(take(300, upload({ isSmall: true }))).toBe(true)
    expect(uploads.map(({ gaveWay }) => gaveWay)).toEqual([true, true, false])
  })

  test('nobody does who is quick, has only just begun, or is here', () => {
    const take = sharesOf(800)
    const uploads = [
      upload({ isSmall: true }, 256 * kibibyte),
      upload({ isSmall: true }, null),
      upload({ isSmall: true }),
    ]
    for (const each of uploads) take(260, each)
    expect(take(100, upload({ isSmall: true }))).toBe(false)
    expect(uploads.some(({ gaveWay }) => gaveWay)).toBe(false)
  })

  test('nobody does for one who is slower', () => {
    const take = sharesOf(800)
    const quicker = upload({ isSmall: true }, 20 * kibibyte)
    take(800, quicker)
    expect(take(1, upload({ isSmall: true }, 20 * kibibyte))).toBe(false)
    expect(take(1, upload({ isSmall: true }, 21 * kibibyte))).toBe(true)
    expect(quicker.gaveWay).toBe(true)
  })

  test('nobody does where it would not be enough', () => {
    const take = sharesOf(800)
    const slow = upload({ isSmall: true }, 9 * kibibyte)
    expect([take(300, slow), take(500, upload())]).toEqual([true, true])
    expect(take(301, upload({ isSmall: true }))).toBe(false)
    expect(slow.gaveWay).toBe(false)
    expect(take(300, upload({ isSmall: true }))).toBe(true)
    expect(slow.gaveWay).toBe(true)
  })

  test('nobody does whose space is not what is short', () => {
    const take = sharesOf(800)
    const slow = upload({ isSmall: true }, 9 * kibibyte)
    expect([take(50, slow), take(700, upload())]).toEqual([true, true])
    expect(take(1, upload())).toBe(false)
    expect(slow.gaveWay).toBe(false)
  })
})
