import { expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { readChanges } from '#store/database/changes.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { deleteCustomDomain, mapCustomDomain } from './change-custom-domain.ts'
import { confirmCustomDomain } from './confirm-custom-domain.ts'
import { addCustomDomain } from './custom-domains.ts'
import {
  findMappedHost,
  findSiteByHost,
  hasDomains,
  listMappedHosts,
  mappedHostsAmong,
  unmapSite,
} from './hosts.ts'
import { setPrimaryDomain } from './primary-domain.ts'
import { claimSubdomain, mapSubdomain, releaseSubdomain } from './subdomains.ts'

onEachStore('store/names/hosts', (db) => {
  const leadsTo = (host: string) => findSiteByHost(db(), host)
  const claim = async (domain: string, site: string | null, did: Did = alice) => {
    await claimSubdomain(db(), { did, domain }, { subdomainsMax: 9, now: 1 })
    if (site !== null) await mapSubdomain(db(), { did, domain }, nameOf(site), 2)
  }
  const add = async (domain: string, site: string | null, did: Did = alice) => {
    const key = { did, id: `${domain} of ${did}` }
    await addCustomDomain(db(), { ...key, domain }, { pendingMax: 9, domainsMax: 9, now: 1 })
    if (site !== null) await mapCustomDomain(db(), key, nameOf(site), 2)
    return key
  }
  const verify = async (domain: string, site: string | null, did: Did = alice) => {
    const key = await add(domain, site, did)
    const options = { change: {}, lossWarning: () => 'lost', now: 3 }
    await confirmCustomDomain(db(), key, { values: [did], lookedUpAt: 3 }, options)
    return key
  }

  test('a claimed subdomain leads to the site it is mapped to', async () => {
    await claim('blog.sites.example', 'blog')
    await claim('free.sites.example', null)
    expect(await leadsTo('blog.sites.example')).toEqual(siteOf('blog'))
    expect(await leadsTo('free.sites.example')).toBeNull()
    expect(await leadsTo('none.sites.example')).toBeNull()
    await releaseSubdomain(db(), { did: alice, domain: 'blog.sites.example' }, 4)
    expect(await leadsTo('blog.sites.example')).toBeNull()
  })

  test('a custom domain leads to its site once it is verified', async () => {
    await add('pending.com', 'blog')
    await verify('unmapped.com', null)
    const key = await verify('blog.com', 'blog')
    expect(await leadsTo('blog.com')).toEqual(siteOf('blog'))
    expect(await leadsTo('pending.com')).toBeNull()
    expect(await leadsTo('unmapped.com')).toBeNull()
    await deleteCustomDomain(db(), key, 4)
    expect(await leadsTo('blog.com')).toBeNull()
  })

  test('a host of either kind is found together with its site’s primary domain', async () => {
    await claim('blog.sites.example', 'blog')
    await verify('blog.com', 'blog')
    await claim('shop.sites.example', 'shop')
    for (const primaryDomain of [null, 'blog.sites.example', 'blog.com']) {
      await setPrimaryDomain(db(), siteOf('blog'), primaryDomain, 5)
      for (const host of ['blog.sites.example', 'blog.com']) {
        const found = { did: alice, site: nameOf('blog'), primaryDomain }
        expect(await findMappedHost(db(), host)).toEqual(found)
      }
      expect(await findMappedHost(db(), 'shop.sites.example')).toMatchObject({
        primaryDomain: null,
      })
    }
  })

  test('the account that has verified a domain counts, among several that have added it', async () => {
    await add('shared.com', 'mine')
    await verify('shared.com', 'theirs', bob)
    expect(await leadsTo('shared.com')).toEqual(siteOf('theirs', bob))
  })

  test('hosts that lead to a site are listed page by page', async () => {
    await claim('b.sites.example', 'blog')
    await claim('free.sites.example', null)
    await verify('c.com', 'blog')
    await verify('a.com', 'shop', bob)
    await add('pending.com', 'blog')
    expect(await listMappedHosts(db())).toEqual(['a.com', 'b.sites.example', 'c.com'])
    expect(await listMappedHosts(db(), { after: 'a.com', limit: 1 })).toEqual(['b.sites.example'])
    const some = ['pending.com', 'free.sites.example', 'c.com', 'none.com']
    expect(await mappedHostsAmong(db(), some)).toEqual([['c.com', alice]])
    expect(await mappedHostsAmong(db(), [])).toEqual([])
  })

  test('an account has domains after its first subdomain or custom domain', async () => {
    await claim('a.sites.example', null)
    await add('pending.com', null, bob)
    expect(await hasDomains(db(), alice)).toBe(true)
    expect(await hasDomains(db(), bob)).toBe(true)
    expect(await hasDomains(db(), siteOf('x', 'did:web:other.example').did)).toBe(false)
  })

  test('unmapping a site unmaps all its domains, with a change for each', async () => {
    await claim('a.sites.example', 'blog')
    await claim('b.sites.example', 'shop')
    await claim('c.sites.example', 'blog', bob)
    await verify('blog.com', 'blog')
    await add('pending.com', 'blog')
    const before = await readChanges(db(), 0)
    await unmapSite(db(), siteOf('blog'), 5)
    expect(await listMappedHosts(db())).toEqual(['b.sites.example', 'c.sites.example'])
    const told = (await readChanges(db(), before.at(-1)?.seq ?? 0)).map(
      (change) => change.kind === 'host' && change.host,
    )
    expect(told.sort()).toEqual(['a.sites.example', 'blog.com', 'pending.com'])
    await unmapSite(db(), siteOf('blog'), 6)
    expect(await readChanges(db(), 0)).toHaveLength(before.length + 3)
  })
})
