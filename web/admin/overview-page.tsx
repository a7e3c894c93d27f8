import type { ReactNode } from 'react'
import type { AnswerTo } from '#api/contract/client.ts'
import { formatBytes, formatCount } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { call } from '#web/server/api.ts'
import { addressWith, goTo, useAddress } from '#web/shell/routing/address.ts'
import { areaWords } from '#web/words/admin/area.ts'
import { Caches } from './caches.tsx'
import { Instances } from './instances.tsx'
import styles from './overview-page.module.css'
import { Charts } from './parts/charts.tsx'
import { Link } from './parts/link.tsx'
import { Page } from './parts/page.tsx'
import { StatusWord } from './parts/status-word.tsx'
import { durationText } from './parts/time-text.ts'
import { useAsked, useEvery } from './use-asked.ts'

const said = areaWords.overviewPage

type Overview = AnswerTo<'GET /api/admin/overview'>

const refreshMs = 5_000

const readOverview = () => call('GET /api/admin/overview', {})

/** `/admin`: how the service is, now and over the last hours. */
export function OverviewPage() {
  const isPaused = useAddress().searchParams.has('paused')
  const [{ value, problem }, reload] = useAsked(readOverview)
  const refreshEveryMs = isPaused ? null : refreshMs
  useEvery(refreshEveryMs, reload)
  const pause = () => goTo(addressWith({ paused: isPaused ? null : '1' }))
  return (
    <Page
      corner={
        <Button look="secondary" onClick={pause}>
          {isPaused ? 'Go on live' : 'Pause'}
        </Button>
      }
      title={said.title}
    >
      {problem !== null && <Problem>{problem}</Problem>}
      {value === null && problem === null && <p>{said.loading}</p>}
      {value !== null && <Tiles overview={value} />}
      {value !== null && <Instances instances={value.instances} />}
      <Charts refreshEveryMs={refreshEveryMs} />
      <Caches refreshEveryMs={refreshEveryMs} />
    </Page>
  )
}

function Tiles({ overview }: { overview: Overview }) {
  const { accounts, bytes, databaseBytes, firehose, queues, sites, startedAt, version } = overview
  const { certificates, certificates24h, diskFreeBytes, diskTotalBytes, errors24h } = overview
  const { hostingReachable, lastBackupAt, processes, reportsOpen } = overview
  const runs = (Date.now() - Date.parse(startedAt)) / 1000
  return (
    <dl className={styles['tiles']}>
      <Tile name="Sites online" note={`of ${formatCount(accounts, 'account')}`}>
        <Link href="/admin/sites">{sites.toLocaleString('en')}</Link>
      </Tile>
      <Tile name="Stored" note={`database ${formatBytes(databaseBytes)}`}>
        {formatBytes(bytes)}
      </Tile>
      <Tile name="Disk left" note={`of ${formatBytes(diskTotalBytes)}`}>
        <Measured isFine={diskFreeBytes > diskTotalBytes * scarceShare}>
          {formatBytes(diskFreeBytes)}
        </Measured>
      </Tile>
      <Tile name="Firehose" note={firehoseText(firehose)}>
        <Measured isFine={firehose.connected}>
          {firehose.connected ? 'Connected' : 'Not connected'}
        </Measured>
      </Tile>
      <Tile name="Waiting" note="sites · versions · accounts · uploads">
        {[queues.sites, queues.versions, queues.accounts, queues.jobs].join(' · ')}
      </Tile>
      <Tile name="Given up" note="sites, versions and accounts that could not be read">
        <Measured isFine={queues.parked === 0}>
          {queues.parked === 0 ? 'None' : queues.parked.toLocaleString('en')}
        </Measured>
      </Tile>
      <Tile name="Errors" note="in the last 24 hours">
        <Link href="/admin/errors">{errors24h.toLocaleString('en')}</Link>
      </Tile>
      <Tile name="Open reports" note="from visitors">
        <Link href="/admin/reports">{reportsOpen.toLocaleString('en')}</Link>
      </Tile>
      {certificates === null ? (
        <Tile name="Certificates" note="permitted in the last 24 hours">
          {certificates24h.toLocaleString('en')}
        </Tile>
      ) : (
        <Tile name="Certificates" note={certificatesText(certificates)}>
          <Measured isFine={certificates.problems.length === 0}>
            {certificates.states.valid.toLocaleString('en')}
          </Measured>
        </Tile>
      )}
      <Tile name="Last backup" note="sitehost backup <folder>">
        <Measured isFine={lastBackupAt !== null}>
          {lastBackupAt === null ? 'None known' : agoText(lastBackupAt)}
        </Measured>
      </Tile>
      <Tile name="Hosting part" note={`version ${version}`}>
        <Measured isFine={hostingReachable}>
          {hostingReachable ? 'Reachable' : 'Not reachable'}
        </Measured>
      </Tile>
      <Tile name="Processes" note={processesText(processes)}>
        <Measured isFine={processes.every(({ restarts }) => restarts === 0)}>
          {processes.length.toLocaleString('en')}
        </Measured>
      </Tile>
      <Tile name="Running for" note={`since ${new Date(startedAt).toLocaleString()}`}>
        {durationText(runs)}
      </Tile>
    </dl>
  )
}

function certificatesText({ problems, states }: NonNullable<Overview['certificates']>): string {
  const { ordered, refused, expired } = states
  const waits = states['waiting-for-dns']
  const counts = [
    `${ordered} ordered`,
    `${waits} waiting for DNS`,
    `${refused} refused`,
    `${expired} expired`,
  ]
  const why = problems.map(({ count, kind }) => `${kind} ${count}`).join(', ')
  return `valid; ${counts.join(', ')}${why === '' ? '' : ` (${why})`}`
}

function processesText(processes: Overview['processes']): string {
  const restarts = processes.reduce((sum, process) => sum + process.restarts, 0)
  const bytes = processes.reduce((sum, { residentBytes }) => sum + (residentBytes ?? 0), 0)
  const memory = `${formatBytes(bytes)} of memory`
  return restarts === 0 ? memory : `${memory}, restarted ${formatCount(restarts, 'time')}`
}

/** Less than this is worth a warning. */
const scarceShare = 0.1

function firehoseText({ lagSeconds, lastEventSeconds }: Overview['firehose']): string {
  if (lastEventSeconds === null) return 'no event read yet'
  const age = `last event ${durationText(lastEventSeconds)} old`
  const isLate = lagSeconds !== null && lagSeconds >= lateSeconds
  return isLate ? `${durationText(lagSeconds)} late, ${age}` : age
}

/** Less is not worth telling. */
const lateSeconds = 10

const agoText = (instant: string): string =>
  `${durationText((Date.now() - Date.parse(instant)) / 1000)} ago`

interface TileProps {
  readonly name: string
  readonly note: string
  readonly children: ReactNode
}

const Tile = ({ name, note, children }: TileProps) => (
  <div className={styles['tile']}>
    <dt>{name}</dt>
    <dd className={styles['value']}>{children}</dd>
    <dd className={styles['note']}>{note}</dd>
  </div>
)

const Measured = ({ isFine, children }: { isFine: boolean; children: string }) => (
  <StatusWord tone={isFine ? 'good' : 'warn'}>{children}</StatusWord>
)
