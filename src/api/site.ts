import { Hono } from 'hono'
import { AccountRepo } from '#atproto/account-repo.ts'
import { deleteSite } from '#publish/delete-site.ts'
import { readSettings, writeSettings } from '#publish/site-settings.ts'
import { parseSettings } from '#site/settings.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { unmapSite } from '#store/hosts.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { listUnfinishedSites } from '#store/jobs.ts'
import { readJson } from './body.ts'
import type { ApiContext } from './context.ts'
import { ApiError, answerError } from './errors.ts'
import type { BrowserSessions } from './sessions.ts'
import { signedIn } from './signed-in.ts'
import type { ApiEnv } from './variables.ts'

/** Every field at its limit, each byte escaped. */
const settingsJsonBytesMax = 512 * 1024

/** `/api/site/*`: deleting a site, and how it is served (interface.md §4.4). Only ever one's own. */
export function siteRoutes(context: ApiContext, sessions: BrowserSessions): Hono<ApiEnv> {
  const { db, hints, log, now, oauth } = context
  const routes = new Hono<ApiEnv>()
  routes.onError(answerError(log, { success: false }))
  routes.use(signedIn(sessions))
  const repoOf = (did: Did) => new AccountRepo(did, oauth.session)

  routes.delete('/:rkey', async (c) => {
    const { did } = c.var.session
    const site = { did, name: siteName(c.req.param('rkey')) }
    await assertNotPublishing(site, context)
    const { deleted } = await deleteSite(site, { ...context, repo: repoOf(did) })
    // Even without a site: an earlier try may have got no further than deleting it.
    await unmapSite(db, site, now())
    hints.notify('changes')
    if (!deleted) throw siteNotFound()
    log.info('site deleted', { did, site: site.name })
    return c.json({ success: true, message: 'Site deleted successfully' })
  })

  routes.get('/:rkey/settings', async (c) => {
    const name = siteName(c.req.param('rkey'))
    const settings = await readSettings(name, { repo: repoOf(c.var.session.did), now })
    return c.json(settings as object)
  })

  routes.post('/:rkey/settings', async (c) => {
    const { did } = c.var.session
    const name = siteName(c.req.param('rkey'))
    const parsed = parseSettings(await readJson(c.req.raw, settingsJsonBytesMax))
    if (!parsed.ok) throw new ApiError(400, parsed.error)
    const outcome = await writeSettings(name, parsed.settings, { repo: repoOf(did), now })
    if (!outcome.written) throw siteNotFound()
    await enqueueIngest(db, [{ did, name }], now())
    hints.notify('ingest')
    return c.json({ success: true, uri: outcome.uri, cid: outcome.cid })
  })

  return routes
}

function siteName(rkey: string): SiteName {
  const name = parseSiteName(rkey)
  if (name === null) throw siteNotFound()
  return name
}

const siteNotFound = (): ApiError => new ApiError(404, 'Site not found')

/** A job that goes on would write the site again, or miss the blobs that went with it. */
async function assertNotPublishing({ did, name }: SiteAddress, { db }: ApiContext): Promise<void> {
  if ((await listUnfinishedSites(db, did)).includes(name)) {
    throw new ApiError(
      409,
      'This site is being published. Wait until that has finished, or cancel it.',
    )
  }
}
