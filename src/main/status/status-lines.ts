import { counted } from '#cli/counted.ts'
import { byteText } from '#site/byte-text.ts'
import type { ProcessStatus, Status } from './read-status.ts'

/** The status as a person reads it, one fact a line. */
export function statusLines(status: Status, now: number): string[] {
  const { bucketAnswers, disk, hosting, http3Answers, instances, jobs, queues } = status
  const waiting = `${counted(queues.sites, 'site')}, ${counted(queues.versions, 'version')} and ${counted(queues.accounts, 'account')} waiting, ${queues.parked} parked`
  const facts: readonly (readonly [string, string])[] = [
    [hosting === null ? 'service' : 'application', processText(status, now)],
    ...(hosting === null ? [] : [['hosting', processText(hosting, now)] as const]),
    ['version', status.version],
    ['accounts', String(status.accounts)],
    ['sites', `${status.sites}, ${byteText(status.siteBytes)} in all`],
    ['database', byteText(status.databaseBytes)],
    ['disk', `${byteText(disk.free)} of ${byteText(disk.total)} free`],
    ...(bucketAnswers === null ? [] : [['blob store', answersText(bucketAnswers)] as const]),
    ...(http3Answers === null ? [] : [['HTTP/3', answersText(http3Answers)] as const]),
    ['firehose', agoText(status.firehoseSeenAt, now, 'no event yet', 'last event ')],
    ['queue', queues.parked === 0 ? waiting : `${waiting} (sitehost unread)`],
    ['publishes', `${jobs} in progress`],
    ...instances.map((instance) => ['instance', instanceText(instance)] as const),
    ['certificates', certificatesText(status, now)],
    ['backup', agoText(status.lastBackupAt, now, 'none yet: sitehost backup <folder>')],
  ]
  return facts.map(([name, value]) => `${name.padEnd(12)}  ${value}`)
}

const answersText = (answers: boolean): string =>
  answers ? 'answers' : 'does not answer (sitehost doctor)'

function processText({ service, startedAt }: ProcessStatus, now: number): string {
  if (service === 'stopped') return 'does not answer'
  const since = startedAt === null ? '' : ` for ${durationText(now - startedAt)}`
  return service === 'running' ? `running${since}` : `running${since}, but not ready: see its log`
}

function instanceText(instance: Status['instances'][number]): string {
  const { address, deploys, jobs, roles, seenAgoMs, version } = instance
  const work = `${jobs} in progress, ${counted(deploys, 'open deploy')}`
  return `${address} (${roles}), ${version}, seen ${durationText(seenAgoMs)} ago: ${work}`
}

function certificatesText({ certificates, certificates24h }: Status, now: number): string {
  if (certificates === null) return `${counted(certificates24h, 'new name')} in the last day`
  const { filesProblem, problems, soonestExpiry, states } = certificates
  const counts = Object.entries(states).map(([state, count]) => `${count} ${state}`)
  const present = counts.filter((text) => !text.startsWith('0 '))
  const why = Object.entries(problems).map(([problem, count]) => `${problem} ${count}`)
  const expiry =
    soonestExpiry === null ? '' : `, the first expires in ${durationText(soonestExpiry - now)}`
  const unread =
    filesProblem === null ? '' : `; ${filesProblem}: not counted, and kept as they were`
  const list = present.length === 0 ? 'none' : present.join(', ')
  return `${list}${why.length === 0 ? '' : ` (${why.join(', ')})`}${expiry}${unread}`
}

const agoText = (at: number | null, now: number, never: string, before = ''): string =>
  at === null ? never : `${before}${durationText(now - at)} ago`

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 days`, `40 minutes`: in the largest unit of which there is one, rounded down. */
export function durationText(ms: number): string {
  const seconds = Math.max(Math.floor(ms / 1000), 0)
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? ['second', 1]
  return counted(Math.floor(seconds / length), unit)
}
