import type { DataOptions } from '#cli/program.ts'
import { isInOrder, isNowhere, repairLines } from '#cli/repair-report.ts'
import { repairSite } from '#ingest/repair-site.ts'
import { StartError } from '#main/process/start-failure.ts'
import { parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { openUpkeep } from './upkeep.ts'

/** Compares one site with its source, mends what is here, and says so. */
export async function runRepair(
  address: string,
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  const site = parseAddress(address)
  await using opened = new AsyncDisposableStack()
  const report = await repairSite(site, await openUpkeep(options, signal, opened))
  if (isNowhere(report))
    throw new StartError('there is no such site, neither here nor at its source')
  for (const line of repairLines(report)) console.log(line)
  if (!isInOrder(report)) throw new StartError('the site is not in order')
}

function parseAddress(input: string): SiteAddress {
  const [didText = '', nameText = '', ...more] = input
    .replace(/^at:\/\//, '')
    .replace('/place.sitehost.fs/', '/')
    .split('/')
  const [did, name] = [parseDid(didText), parseSiteName(nameText)]
  if (did === null || name === null || more.length > 0) {
    throw new StartError(
      `${JSON.stringify(input)} is not a site: <did>/<rkey>, such as did:plc:…/blog`,
    )
  }
  return { did, name }
}
