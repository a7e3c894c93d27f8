import { useCallback, useState } from 'react'
import type { AnswerTo } from '#api/contract/client.ts'
import { type Column, DataTable } from '#web/admin/parts/data-table.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import { Link } from '#web/admin/parts/link.tsx'
import { Page } from '#web/admin/parts/page.tsx'
import { AccountLink, LogLink } from '#web/admin/parts/places.tsx'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { TakedownNote } from '#web/admin/parts/takedown-note.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { useAsked } from '#web/admin/use-asked.ts'
import { WorkFacts } from '#web/admin/work-facts.tsx'
import { formatBytes, formatCount } from '#web/parts/bytes.ts'
import { Problem } from '#web/parts/controls/problem.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { jobColumns } from './job-columns.tsx'
import { SiteActions } from './site-actions.tsx'
import { SiteState } from './site-state.tsx'

const said = listsWords.sitePage

export type SiteAnswer = AnswerTo<'GET /api/admin/sites/:did/:rkey'>

/** `/admin/sites/:did/:rkey`: all about one site. */
export function SitePage({ did, rkey }: { did: string; rkey: string }) {
  const ask = useCallback(
    () => call('GET /api/admin/sites/:did/:rkey', { params: { did, rkey } }),
    [did, rkey],
  )
  const [{ value, problem }, reload] = useAsked(ask)
  const [told, setTold] = useState('')
  const onDone = (what: string) => {
    setTold(what)
    reload()
  }
  return (
    <Page title={rkey} told={told}>
      <p className={styles['back']}>
        <Link href="/admin/sites">{said.allSites}</Link>
      </p>
      {problem !== null && <Problem>{problem}</Problem>}
      {value === null && problem === null && <p>{said.loading}</p>}
      {value !== null && (
        <SiteActions
          did={did}
          offline={value.takedown?.scope ?? null}
          onDone={onDone}
          rkey={rkey}
        />
      )}
      {value !== null && <SiteDetail answer={value} />}
    </Page>
  )
}

function SiteDetail({ answer }: { answer: SiteAnswer }) {
  const { account, jobs, site, versions, work } = answer
  const { did, domains, problems, rkey, url } = site
  return (
    <>
      <TakedownNote takedown={answer.takedown} />
      {answer.takedown?.scope === 'account' && (
        <p>
          {said.accountIsOffline} <AccountLink did={did} handle={account.handle} />.
        </p>
      )}
      <div className={styles['card']}>
        <Facts
          facts={[
            ['State', <SiteState key="state" site={site} />],
            ['Account', <AccountLink did={did} handle={account.handle} key="account" />],
            [
              'Address',
              <a href={url} key="url">
                {new URL(url).host}
              </a>,
            ],
            ['Domains', domains.map(({ domain }) => domain).join(', ') || 'None'],
            ['Holds', `${formatCount(site.fileCount, 'file')}, ${formatBytes(site.bytes)}`],
            ['Published', <When at={site.publishedAt} key="published" />],
            ['Record', <code key="uri">{site.uri}</code>],
            ['Log', <LogLink key="log" search={`${did} ${rkey}`} />],
          ]}
        />
      </div>
      {problems.length > 0 && (
        <ul aria-label={said.problems} className={styles['problems']}>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {work !== null && <WorkFacts work={work} />}
      <section aria-labelledby="versions" className={styles['section']}>
        <h2 id="versions">{said.versions}</h2>
        {versions.length === 0 && <p>{said.noVersions}</p>}
        {versions.length > 0 && (
          <DataTable
            columns={versionColumns}
            keyOf={({ id }) => id}
            label={said.versions}
            rows={versions}
          />
        )}
      </section>
      <section aria-labelledby="jobs" className={styles['section']}>
        <h2 id="jobs">{said.uploads}</h2>
        {jobs.length === 0 && <p>{said.noUploads}</p>}
        {jobs.length > 0 && (
          <DataTable columns={jobColumns} keyOf={({ id }) => id} label={said.uploads} rows={jobs} />
        )}
      </section>
    </>
  )
}

type Version = SiteAnswer['versions'][number]

const versionTones = { live: 'good', replaced: 'rest', invalid: 'bad' } as const
const versionWords = { live: 'Live', replaced: 'Replaced', invalid: 'Refused' } as const

const versionColumns: readonly Column<Version>[] = [
  { head: 'Published', cell: ({ publishedAt }) => <When at={publishedAt} /> },
  {
    head: 'State',
    cell: ({ state }) => <StatusWord tone={versionTones[state]}>{versionWords[state]}</StatusWord>,
  },
  { head: 'Files', isNumber: true, cell: ({ fileCount }) => fileCount },
  { head: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  {
    head: 'Problems',
    isMinor: true,
    isWide: true,
    cell: ({ problems }) => problems.join('; ') || 'None',
  },
  { head: 'Version', isMinor: true, cell: ({ cid }) => <code>{cid}</code> },
]
