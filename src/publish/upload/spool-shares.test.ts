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
    claim: { ...upload.claim, arrival: { bytes: 0, bytesPerSecond, giveWay } } as Claim,
  })
}

const sharesOf = (bytesMax: number) => {
  const shares = new SpoolShares(bytesMax)
  return (bytes: number, { claim }: { claim: Claim }) =>
    shares.take(crypto.randomUUID(), bytes, claim)
}

describe('space for uploads', () => {
  test('alongside a first upload an owner gets a quarter of it', () => {
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

  test('accounts without a site get half of it together, and another eighth for small uploads', () => {
    const take = sharesOf(800)
    const newcomer = (isSmall = false) => upload({ isNewcomer: true, isSmall })
    expect([take(200, newcomer()), take(200, newcomer()), take(1, newcomer())]).toEqual([
      ...[true, true, false],
    ])
    expect([take(100, newcomer(true)), take(1, newcomer(true))]).toEqual([true, false])
    expect(take(200, upload())).toBe(true)
    expect(take(100, upload({ isSmall: true }))).toBe(true)
  })

  test('small uploads of accounts without a site count in their half, and leave the rest', () => {
    const take = sharesOf(800)
    const newcomer = (isSmall: boolean) => upload({ isNewcomer: true, isSmall })
    expect([take(400, newcomer(true)), take(1, newcomer(false))]).toEqual([true, false])
    expect([take(100, newcomer(true)), take(1, newcomer(true))]).toEqual([true, false])
    expect(take(300, upload({ isSmall: true }))).toBe(true)
  })
})

describe('what has arrived and waits', () => {
  // Half of the space is taken by an upload of another server.
  const halfTaken = () => {
    const take = sharesOf(1200)
    take(600, upload())
    return take
  }
  const ofServer = (server: string | null, isSmall = false) => upload({ server, isSmall })

  test('may be all of one server while less than half of the space is taken', () => {
    const take = sharesOf(1200)
    for (let i = 0; i < 6; i++) expect(take(100, ofServer('a'))).toBe(true)
    expect(take(1, ofServer('a'))).toBe(false)
    expect(take(1, ofServer('b'))).toBe(true)
  })

  test('is at most a quarter for one server where more is taken, except a first upload', () => {
    const take = halfTaken()
    expect([take(200, ofServer('a')), take(100, ofServer('a'))]).toEqual([true, true])
    expect(take(1, ofServer('a'))).toBe(false)
    expect(take(100, ofServer('b'))).toBe(true)
    const other = halfTaken()
    expect([other(400, ofServer('b')), other(1, ofServer('b'))]).toEqual([true, false])
  })

  test('never keeps out the only small upload of an owner', () => {
    const take = halfTaken()
    const owner = { owner: 'alice', server: 'a', isSmall: true }
    expect(take(300, ofServer('a', true))).toBe(true)
    expect([take(10, upload(owner)), take(10, upload(owner))]).toEqual([true, false])
    expect(take(10, ofServer('a', true))).toBe(true)
  })

  test('is counted before anybody sends, and what still arrives is not', () => {
    const take = halfTaken()
    const arriving = () => upload({ server: 'a' }, null)
    expect([take(100, arriving()), take(50, arriving())]).toEqual([true, true])
    expect(take(300, ofServer('a'))).toBe(true)
    expect(take(1, arriving())).toBe(false)
  })

  test('without a known server is counted together', () => {
    const take = halfTaken()
    expect([take(300, ofServer(null)), take(1, ofServer(null))]).toEqual([true, false])
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
