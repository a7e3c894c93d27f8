import type { DataOptions } from '#cli/program.ts'
import { type RepairReport, repairSite } from '#ingest/repair-site.ts'
import { StartError } from '#main/process/start-failure.ts'
import { parseSiteUri, type SiteAddress, siteUri } from '#site/site-address.ts'
import { openUpkeep } from './upkeep.ts'

/** Compares one site with its source, repairs what is stored, and prints a report. */
export async function runRepair(
  address: string,
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  const site = parseAddress(address)
  await using upkeep = await openUpkeep(options, signal)
  const report = await repairSite(site, upkeep)
  if (isNowhere(report))
    throw new StartError('there is no such site, neither here nor at its source')
  for (const line of repairLines(report)) console.log(line)
  if (!isInOrder(report)) throw new StartError('the site is not in order')
}

/** `<did>/<rkey>`, or a site's `at://` address. Throws StartError. */
export function parseAddress(input: string): SiteAddress {
  const site = parseSiteUri(input)
  if (site === null) {
    throw new StartError(
      `${JSON.stringify(input)} is not a site: <did>/<rkey>, such as did:plc:…/blog`,
    )
  }
  return site
}

/** Whether everything that was found is repaired. */
export function isInOrder({ findings }: RepairReport): boolean {
  return findings.every(({ isRepaired }) => isRepaired)
}

/** Whether the site exists neither here nor on its owner's server. */
function isNowhere({ recordCid, files, findings }: RepairReport): boolean {
  return recordCid === null && files === 0 && findings.length === 0
}

/** The lines of the report. */
export function repairLines(report: RepairReport): string[] {
  const { site, status, recordCid, files, intactFiles, findings } = report
  return [
    `site     ${siteUri(site)}`,
    `account  ${status ?? 'not known: its server could not be asked'}`,
    `record   ${recordCid ?? 'none live here'}`,
    `files    ${intactFiles} of ${files} intact`,
    ...findings.map(
      ({ what, isRepaired }) => `${(isRepaired ? 'repaired' : 'wrong').padEnd(8)} ${what}`,
    ),
    findings.length === 0 ? 'nothing was wrong' : summary(report),
  ]
}

function summary(report: RepairReport): string {
  const left = report.findings.filter(({ isRepaired }) => !isRepaired).length
  return left === 0
    ? 'everything was repaired'
    : `${left} of ${report.findings.length} could not be repaired`
}
