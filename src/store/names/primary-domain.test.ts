import { expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import { latestChangeSeq, readChanges } from '#store/database/changes.ts'
import { subjectOf } from '#tests/support/database/change-subjects.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { changeCustomDomain, deleteCustomDomain, mapCustomDomain } from './change-custom-domain.ts'
import { confirmCustomDomain } from './confirm-custom-domain.ts'
import { addCustomDomain } from './custom-domains.ts'
import { unmapSite } from './hosts.ts'
import { findPrimaryDomain, setPrimaryDomain } from './primary-domain.ts'
import { claimSubdomain, mapSubdomain, releaseSubdomain, renameSubdomain } from './subdomains.ts'

onEachStore('store/names/primary-domain', (db) => {
  const blog = siteOf('blog')
  const primary = () => findPrimaryDomain(db(), blog)
  const set = (domain: string | null, site = blog) => setPrimaryDomain(db(), site, domain, 5)
  const claim = async (domain: string, site = 'blog', did = alice) => {
    await claimSubdomain(db(), { did, domain }, { subdomainsMax: 9, now: 1 })
    await mapSubdomain(db(), { did, domain }, nameOf(site), 2)
  }
  const add = async (domain: string, site = 'blog') => {
    const key = { did: alice, id: domain }
    await addCustomDomain(db(), { ...key, domain }, { pendingMax: 9, domainsMax: 9, now: 1 })
    await mapCustomDomain(db(), key, nameOf(site), 2)
    return key
  }
  const verify = (domain: string, did = alice, now = 3) =>
    confirmCustomDomain(
      db(),
      { did, id: domain },
      { values: [did], lookedUpAt: now },
      { change: {}, lossWarning: () => 'lost', now },
    )
  const lose = (domain: string) =>
    changeCustomDomain(db(), { did: alice, id: domain }, () => ({ verified: false }), 6)
  /** The hosts and labels of the changes that `act` appends. */
  const told = async (act: () => Promise<unknown>) => {
    const since = await latestChangeSeq(db())
    await act()
    const changes = await readChanges(db(), since)
    return new Set(changes.map(subjectOf))
  }

  test('a site has none at first, a chosen name of its own, and none again', async () => {
    await claim('a.example')
    expect(await primary()).toBeNull()
    expect(await set('a.example')).toBe('set')
    expect(await primary()).toBe('a.example')
    expect(await set(null)).toBe('set')
    expect(await primary()).toBeNull()
  })

  test('another name of either kind replaces the first', async () => {
    await claim('a.example')
    await claim('b.example')
    await add('own.com')
    await verify('own.com')
    for (const domain of ['a.example', 'b.example', 'own.com', 'a.example']) {
      await set(domain)
      expect(await primary()).toBe(domain)
    }
    await set(null)
    expect(await primary()).toBeNull()
  })

  test('only a verified name of the account that leads to this site can be chosen', async () => {
    await claim('shop.example', 'shop')
    await claim('bobs.example', 'blog', bob)
    await add('own.com')
    await add('shop.com', 'shop')
    expect(await set('shop.example')).toBe('leads-elsewhere')
    expect(await set('shop.com')).toBe('leads-elsewhere')
    expect(await set('own.com')).toBe('not-verified')
    expect(await set('bobs.example')).toBe('not-found')
    expect(await set('nobodys.example')).toBe('not-found')
    expect(await primary()).toBeNull()
  })

  test('a rejected choice leaves the current one', async () => {
    await claim('a.example')
    await add('own.com')
    await set('a.example')
    await set('own.com')
    expect(await primary()).toBe('a.example')
  })

  test('each site has its own', async () => {
    await claim('a.example')
    await claim('s.example', 'shop')
    await set('a.example')
    await set('s.example', siteOf('shop'))
    expect([await primary(), await findPrimaryDomain(db(), siteOf('shop'))]).toEqual([
      'a.example',
      's.example',
    ])
  })

  test('an unmapped, moved or released subdomain is no longer primary, and does not become so again', async () => {
    const ends = [
      () => mapSubdomain(db(), { did: alice, domain: 'a.example' }, null, 6),
      () => mapSubdomain(db(), { did: alice, domain: 'a.example' }, nameOf('shop'), 6),
      () => releaseSubdomain(db(), { did: alice, domain: 'a.example' }, 6),
      () => unmapSite(db(), blog, 6),
    ]
    for (const end of ends) {
      await claim('a.example')
      await set('a.example')
      await end()
      expect(await primary()).toBeNull()
      await claim('a.example')
      expect(await primary()).toBeNull()
    }
  })

  test('an unmapped, moved or deleted custom domain is no longer primary either', async () => {
    const key = { did: alice, id: 'own.com' }
    const ends = [
      () => mapCustomDomain(db(), key, null, 6),
      () => mapCustomDomain(db(), key, nameOf('shop'), 6),
      () => deleteCustomDomain(db(), key, 6),
      () => unmapSite(db(), blog, 6),
    ]
    for (const end of ends) {
      await add('own.com')
      await verify('own.com')
      await set('own.com')
      await end()
      expect(await primary()).toBeNull()
      await add('own.com')
      await verify('own.com')
      expect(await primary()).toBeNull()
    }
  })

  test('mapped to the same site again it stays', async () => {
    await claim('a.example')
    await set('a.example')
    await mapSubdomain(db(), { did: alice, domain: 'a.example' }, nameOf('blog'), 6)
    expect(await primary()).toBe('a.example')
  })

  test('renamed it stays, with its new name', async () => {
    await claim('a.example')
    await set('a.example')
    await renameSubdomain(db(), { did: alice, domain: 'a.example' }, 'z.example', 6)
    expect(await primary()).toBe('z.example')
  })

  test('a lost domain does not count until it is verified again', async () => {
    await add('own.com')
    await verify('own.com')
    await set('own.com')
    await lose('own.com')
    expect(await primary()).toBeNull()
    await verify('own.com', alice, 7)
    expect(await primary()).toBe('own.com')
  })

  test('a new primary domain appends changes of all names and of the site', async () => {
    await claim('a.example')
    await claim('b.example')
    await add('own.com')
    await verify('own.com')
    await claim('elsewhere.example', 'shop')
    const all = new Set(['a.example', 'b.example', 'own.com', siteLabel(blog)])
    expect(await told(() => set('a.example'))).toEqual(all)
    expect(await told(() => set(null))).toEqual(all)
    expect(await told(() => set('own.com'))).toEqual(all)
    expect(await told(() => lose('own.com'))).toEqual(all)
    expect(await told(() => verify('own.com', alice, 8))).toEqual(all)
    expect(await told(() => deleteCustomDomain(db(), { did: alice, id: 'own.com' }, 9))).toEqual(
      all,
    )
    await set('a.example')
    const rename = () => renameSubdomain(db(), { did: alice, domain: 'a.example' }, 'z.example', 10)
    expect(await told(rename)).toEqual(
      new Set(['a.example', 'z.example', 'b.example', siteLabel(blog)]),
    )
    const release = () => releaseSubdomain(db(), { did: alice, domain: 'z.example' }, 11)
    expect(await told(release)).toEqual(new Set(['z.example', 'b.example', siteLabel(blog)]))
  })

  test('a domain that moves to another account is no longer its old site’s primary domain', async () => {
    await claim('a.example')
    await add('own.com')
    await verify('own.com')
    await set('own.com')
    const theirs = { did: bob, id: 'bobs', domain: 'own.com' }
    await lose('own.com')
    await addCustomDomain(db(), theirs, { pendingMax: 9, domainsMax: 9, now: 1 })
    await verify('own.com', alice, 20)
    expect(await primary()).toBe('own.com')
    const take = () =>
      confirmCustomDomain(
        db(),
        theirs,
        { values: [bob], lookedUpAt: 30 },
        { change: {}, lossWarning: () => 'lost', now: 30 },
      )
    expect(await told(take)).toEqual(new Set(['own.com', 'a.example', siteLabel(blog)]))
    expect(await primary()).toBeNull()
  })

  test('one of many concurrent choices is it', async () => {
    const domains = Array.from({ length: 8 }, (_, n) => `n${n}.example`)
    for (const domain of domains) await claim(domain)
    await Promise.all(domains.map((domain) => set(domain)))
    const marked = await db()
      .selectFrom('subdomains')
      .select('domain')
      .where('isPrimary', '=', 1)
      .execute()
    expect(marked).toHaveLength(1)
  })

  test('choosing it while the site is unmapped does not deadlock', async () => {
    await claim('a.sites.example.net')
    const key = await add('www.alice.com')
    await verify('www.alice.com')
    for (let round = 0; round < 40; round++) {
      await mapSubdomain(db(), { did: alice, domain: 'a.sites.example.net' }, blog.name, 1)
      await mapCustomDomain(db(), key, blog.name, 1)
      await set('a.sites.example.net')
      // A little later in each round, so that the two overlap.
      const later = async () => {
        for (let looks = 0; looks < round % 8; looks++) await primary()
      }
      const unmapped = later().then(() => unmapSite(db(), blog, 1))
      const outcomes = await Promise.all([set('www.alice.com'), unmapped])
      expect(['set', 'leads-elsewhere']).toContain(outcomes[0])
      expect(await primary()).toBeNull()
    }
  })
})
