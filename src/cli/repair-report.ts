import type { RepairReport } from '#ingest/repair-site.ts'
import { siteUri } from '#site/site-address.ts'

/** Whether nothing of what was found is left. */
export function isInOrder({ findings }: RepairReport): boolean {
  return findings.every(({ isMended }) => isMended)
}

/** Whether neither we nor its owner's server know of the site. */
export function isNowhere({ recordCid, files, findings }: RepairReport): boolean {
  return recordCid === null && files === 0 && findings.length === 0
}

/** What a person reads after a repair, a line each. */
export function repairLines(report: RepairReport): string[] {
  const { site, status, recordCid, files, intactFiles, findings } = report
  return [
    `site     ${siteUri(site)}`,
    `account  ${status ?? 'not known: its server could not be asked'}`,
    `record   ${recordCid ?? 'none live here'}`,
    `files    ${intactFiles} of ${files} intact`,
    ...findings.map(({ what, isMended }) => `${isMended ? 'mended ' : 'wrong  '}  ${what}`),
    findings.length === 0 ? 'nothing was wrong' : summary(report),
  ]
}

function summary(report: RepairReport): string {
  const left = report.findings.filter(({ isMended }) => !isMended).length
  return left === 0
    ? 'all of it is mended'
    : `${left} of ${report.findings.length} could not be mended`
}
