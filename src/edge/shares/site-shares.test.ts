import { expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import type { SiteTraffic, TrafficTotal } from '#store/sites/traffic.ts'
import { bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { SiteShares } from './site-shares.ts'

const visitor = { network: 'a', userAgent: '', country: null }
const dayMs = 24 * 60 * 60 * 1000
const none = { requestsPerSecondMax: null, bytesPerDayMax: null }

function open(limits: Partial<ConstructorParameters<typeof SiteShares>[0]['limits']>) {
  const clock = { elapsed: 0, now: 12 * 60 * 60 * 1000 }
  const shares = new SiteShares({
    limits: { site: none, account: none, ...limits },
    elapsed: () => clock.elapsed,
    now: () => clock.now,
  })
  const stored = new Map<string, number>()
  const added: SiteTraffic[] = []
  /** As the database: sums, whoever adds. */
  const add = async (
    day: number,
    { traffic }: { readonly traffic: readonly SiteTraffic[] },
  ): Promise<TrafficTotal[]> =>
    traffic.map((row) => {
      added.push(row)
      const key = `${day} ${row.did}/${row.site}`
      stored.set(key, (stored.get(key) ?? 0) + row.bytes)
      return { did: row.did, site: row.site, bytes: stored.get(key) ?? 0 }
    })
  return { add, added, clock, shares, save: () => shares.save(add) }
}

/** Which of so many requests at once are answered. */
const answered = (share: ReturnType<SiteShares['of']>, count: number): number =>
  Array.from({ length: count }, () => share.take()).filter((refusal) => refusal === null).length

test('a site has its requests a second, after a burst of ten seconds’ worth', () => {
  const { clock, shares } = open({ site: { ...none, requestsPerSecondMax: 2 } })
  const blog = shares.of(siteOf('blog'))
  expect(answered(blog, 30)).toBe(20)
  expect(blog.take()).toEqual({ by: 'site_requests', retryAfterSeconds: 1 })
  clock.elapsed += 1_000
  expect(answered(blog, 30)).toBe(2)
  expect(shares.refusals.counts).toEqual({ site_requests: 10 + 1 + 28 })
})

test('the flood of one does not cost another', () => {
  const { shares } = open({ site: { ...none, requestsPerSecondMax: 2 } })
  answered(shares.of(siteOf('blog')), 1000)
  expect(answered(shares.of(siteOf('shop')), 30)).toBe(20)
})

test('an account’s sites share its requests, which refused ones do not cost', () => {
  const perSecond = (requestsPerSecondMax: number) => ({ ...none, requestsPerSecondMax })
  const { shares } = open({ site: perSecond(2), account: perSecond(3) })
  expect(answered(shares.of(siteOf('blog')), 100)).toBe(20)
  expect(answered(shares.of(siteOf('shop')), 100)).toBe(10)
  expect(shares.of(siteOf('shop')).take()).toMatchObject({ by: 'account_requests' })
  expect(answered(shares.of(siteOf('blog', bob)), 100)).toBe(20)
})

test('without limits nobody is refused', () => {
  const { shares } = open({})
  expect(answered(shares.of(siteOf('blog')), 100_000)).toBe(100_000)
})

test('a site keeps its share while it is loaded again', () => {
  const { shares } = open({})
  expect(shares.of(siteOf('blog'))).toBe(shares.of(siteOf('blog')))
})

test('who has sent the bytes of a day is back on the next', async () => {
  const { clock, save, shares } = open({ site: { ...none, bytesPerDayMax: 100 } })
  const blog = shares.of(siteOf('blog'))
  blog.take()
  blog.addBytes(99)
  await save()
  expect(blog.take()).toBeNull()
  blog.addBytes(1)
  await save()
  expect(blog.take()).toEqual({ by: 'site_bytes', retryAfterSeconds: 12 * 60 * 60 })
  clock.now += dayMs / 2
  await save()
  expect(blog.take()).toBeNull()
})

test('bytes that other processes sent count, and so do those of the account’s other sites', async () => {
  const { add, save, shares } = open({ account: { ...none, bytesPerDayMax: 100 } })
  const other = open({}).shares
  other.of(siteOf('shop')).addBytes(100)
  await other.save(add)
  const blog = shares.of(siteOf('blog'))
  expect(blog.take()).toBeNull()
  await save()
  expect(blog.take()).toMatchObject({ by: 'account_bytes' })
  expect(shares.of(siteOf('blog', bob)).take()).toBeNull()
})

test('counts are saved once; what could not be saved is part of the next', async () => {
  const { added, save, shares } = open({})
  const blog = shares.of(siteOf('blog'))
  blog.take()
  blog.addBytes(7)
  await expect(shares.save(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  blog.take()
  shares.of(siteOf('shop')).take()
  await save()
  await save()
  const { did } = siteOf('blog')
  expect(added).toEqual([
    { did, site: '', requests: 3, bytes: 7, refused: 0 },
    { did, site: siteOf('blog').name, requests: 2, bytes: 7, refused: 0 },
    { did, site: siteOf('shop').name, requests: 1, bytes: 0, refused: 0 },
  ])
})

const window = 64 * 1024
const requestOf = (signal?: AbortSignal) => new Request('http://blog.test/', signal && { signal })

for (const whose of ['site', 'account'] as const) {
  test(`one network has a twentieth of a day’s bytes of a ${whose}, in large bodies`, async () => {
    const { clock, save, shares } = open({ [whose]: { ...none, bytesPerDayMax: 40 * 2 ** 20 } })
    const blog = shares.of(siteOf('blog'))
    const take = (network: string, bytes = 2 ** 20, share = blog) =>
      share.addBody(bytes, requestOf(), () => network)
    expect(take('a')).toBeNull()
    expect(take('a')).toBeNull()
    const refusal = { by: 'network_bytes', retryAfterSeconds: 12 * 60 * 60 } as const
    expect(take('a')).toEqual(refusal)
    // From now on small ones are looked at, too.
    expect(take('a', 10)).toEqual(refusal)
    expect(take('b', 10)).toBeNull()
    expect(take('b')).toBeNull()
    expect(take('a', 2 ** 20, shares.of(siteOf('shop')))).toEqual(
      whose === 'account' ? refusal : null,
    )
    expect(blog.takeUnsaved()).toMatchObject({ bytes: 3 * 2 ** 20 + 10, refused: 2 })
    clock.now += dayMs
    await save()
    expect(take('a')).toBeNull()
  })
}

for (const [when, change] of [
  ['on another day', 'save'],
  ['on its day, which ended before it was saved,', 'fail'],
] as const) {
  test(`what is broken off ${when} is no credit for the next`, async () => {
    const { added, clock, save, shares } = open({})
    const blog = shares.of(siteOf('blog'))
    const hangUp = new AbortController()
    blog.addBody(2 ** 20, requestOf(hangUp.signal), () => '')
    await save()
    if (change === 'fail') hangUp.abort()
    clock.now += dayMs
    if (change === 'fail') {
      await expect(shares.save(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
    } else await save()
    hangUp.abort()
    blog.addBytes(1)
    await save()
    expect(added.slice(2).map(({ bytes }) => bytes)).toEqual([1, 1])
  })
}

test('one account’s sites do not use up the names of others', async () => {
  const { shares } = open({})
  const named = (did?: Did) => {
    for (let site = 0; site < 11; site++) {
      const share = shares.of(siteOf(`s${site}`, did))
      for (let n = 0; n < 200; n++) {
        share.countPage({ path: `/${n}`, host: 'a.test' }, requestOf(), () => visitor)
      }
    }
    const taken = Array.from({ length: 11 }, (_, site) =>
      shares
        .of(siteOf(`s${site}`, did))
        .takeUnsaved()
        .visits.filter(({ value }) => value !== ''),
    )
    return taken.flat().length
  }
  expect(named()).toBe(2_000)
  expect(named(bob)).toBe(2_000)
})

test('what was counted before midnight is of the day before', async () => {
  const { clock, shares } = open({})
  const days: number[] = []
  const save = () =>
    shares.save(async (day) => {
      days.push(day)
      return []
    })
  shares.of(siteOf('blog')).addBytes(1)
  clock.now += dayMs
  await save()
  shares.of(siteOf('blog')).addBytes(1)
  await save()
  expect(days).toEqual([0, 1])
})

for (const bytes of [500, 12_000, window]) {
  test(`one network has about a twentieth of a day’s bytes in bodies of ${bytes}, others have theirs`, () => {
    const { shares } = open({ site: { ...none, bytesPerDayMax: 2 ** 30 } })
    const blog = shares.of(siteOf('blog'))
    let looked = 0
    const networkOf = (network: string) => () => {
      looked++
      return network
    }
    let sent = 0
    while (blog.addBody(bytes, requestOf(), networkOf('a')) === null && sent < 2 ** 30)
      sent += bytes
    // 100 samples: four standard deviations.
    expect(sent / (2 ** 30 / 20)).toBeWithin(0.6, 1.4)
    expect(looked).toBeLessThan(150)
    expect(blog.addBody(bytes, requestOf(), networkOf('b'))).toBeNull()
    expect(blog.addBody(bytes, requestOf(), networkOf('a'))).toMatchObject({ by: 'network_bytes' })
  })
}

test('what a network broke off does not count for it', () => {
  const { shares } = open({ site: { ...none, bytesPerDayMax: 40 * 2 ** 20 } })
  const blog = shares.of(siteOf('blog'))
  for (let n = 0; n < 33; n++) {
    const hangUp = new AbortController()
    const refusal = blog.addBody(2 ** 20, requestOf(hangUp.signal), () => 'a')
    hangUp.abort()
    expect(refusal === null).toBe(n < 32)
  }
})

test('whose bytes are not limited is not asked for', () => {
  const { shares } = open({})
  const networkOf = () => {
    throw new Error('asked for')
  }
  expect(shares.of(siteOf('blog')).addBody(2 ** 20, requestOf(), networkOf)).toBeNull()
})

for (const [what, bytes, afterMs, counted] of [
  ['within a window', window, 0, window],
  ['above a window, broken off at once', window + 1, 0, window],
  ['in memory, broken off at once', 2 ** 20, 0, window],
  ['of a large file, broken off', 10 ** 9, 8, window + 1_000_000],
  ['that was held long', 10 ** 9, 86_400_000, 10 ** 9],
] as const) {
  test(`a body ${what} counts ${counted} bytes`, () => {
    const { clock, shares } = open({})
    const blog = shares.of(siteOf('blog'))
    const hangUp = new AbortController()
    blog.addBody(bytes, requestOf(hangUp.signal), () => '')
    clock.elapsed += afterMs
    hangUp.abort()
    expect(blog.takeUnsaved().bytes).toBe(counted)
  })
}

test('of sites whose counts cannot be saved, the oldest beyond a limit are dropped, and counted', async () => {
  const { add, added } = open({})
  const shares = new SiteShares({
    ...{ limits: { site: none, account: none }, unsavedMax: 2 },
    ...{ elapsed: () => 0, now: () => 0 },
  })
  const away = () => Promise.reject(new Error('away'))
  for (const name of ['a', 'b', 'c']) shares.of(siteOf(name)).take()
  await expect(shares.save(away)).rejects.toThrow('away')
  expect([shares.takeDropped(), shares.takeDropped()]).toEqual([1, 0])
  shares.of(siteOf('a')).take()
  await shares.save(add)
  const sites = added.filter(({ site }) => site !== '')
  expect(sites.map(({ requests, site }) => `${site} ${requests}`)).toEqual(['a 1', 'b 1', 'c 1'])
})

test('where nobody knows whether counts are saved, they are not saved again', async () => {
  const { add, added, shares } = open({})
  shares.of(siteOf('blog')).take()
  await shares.save(async () => null)
  await shares.save(add)
  expect(added).toEqual([])
})
