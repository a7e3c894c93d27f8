import { useCallback, useState } from 'react'
import type { AnswerTo } from '#api/contract/client.ts'
import { type Column, DataTable } from '#web/admin/parts/data-table.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import { Link } from '#web/admin/parts/link.tsx'
import { Page } from '#web/admin/parts/page.tsx'
import { LogLink } from '#web/admin/parts/places.tsx'
import { TakedownNote } from '#web/admin/parts/takedown-note.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { useAsked } from '#web/admin/use-asked.ts'
import { WorkFacts } from '#web/admin/work-facts.tsx'
import { formatBytes, formatCount } from '#web/parts/bytes.ts'
import { Problem } from '#web/parts/controls/problem.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { AccountActions } from './account-actions.tsx'
import { AccountStatus } from './account-status.tsx'
import { domainColumns } from './domain-columns.tsx'
import { jobColumns } from './job-columns.tsx'
import { siteColumns } from './sites-page.tsx'

const said = listsWords.accountPage

export type AccountAnswer = AnswerTo<'GET /api/admin/accounts/:did'>

/** `/admin/accounts/:did`: all about one account. */
export function AccountPage({ did }: { did: string }) {
  const ask = useCallback(() => call('GET /api/admin/accounts/:did', { params: { did } }), [did])
  const [{ value, problem }, reload] = useAsked(ask)
  const [told, setTold] = useState('')
  const name = value?.account.handle ?? did
  const onDone = (what: string) => {
    setTold(what)
    reload()
  }
  return (
    <Page title={name} told={told}>
      <p className={styles['back']}>
        <Link href="/admin/accounts">{said.allAccounts}</Link>
      </p>
      {problem !== null && <Problem>{problem}</Problem>}
      {value === null && problem === null && <p>{said.loading}</p>}
      {value !== null && (
        <AccountActions
          did={did}
          isOffline={value.takedown !== null}
          limits={value.limits}
          name={name}
          onDone={onDone}
        />
      )}
      {value !== null && <AccountDetail answer={value} />}
    </Page>
  )
}

function AccountDetail({ answer }: { answer: AccountAnswer }) {
  const { account, domains, jobs, sessions, sites, work } = answer
  const { bytes, createdAt, did, pds, status, statusSince } = account
  return (
    <>
      <TakedownNote takedown={answer.takedown} />
      <div className={styles['card']}>
        <Facts
          facts={[
            ['Status', <AccountStatus key="status" status={status} />],
            ['Since', <When at={statusSince} key="since" />],
            ['DID', <code key="did">{did}</code>],
            ['Server', pds ?? 'Not known'],
            ['Holds', `${formatCount(account.sites, 'site')}, ${formatBytes(bytes)}`],
            ['Signed in', formatCount(sessions, 'browser')],
            ['Here since', <When at={createdAt} key="here" />],
            ['Log', <LogLink key="log" search={did} />],
          ]}
        />
      </div>
      {work !== null && <WorkFacts work={work} />}
      <Listed columns={siteColumns} keyOf={({ uri }) => uri} rows={sites} title={said.sites} />
      <Listed
        columns={domainColumns}
        keyOf={({ domain }) => domain}
        rows={domains}
        title={said.domains}
      />
      <Listed columns={jobColumns} keyOf={({ id }) => id} rows={jobs} title={said.uploads} />
    </>
  )
}

interface ListedProps<Row> {
  readonly title: string
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly rows: readonly Row[]
}

function Listed<Row>({ title, ...table }: ListedProps<Row>) {
  return (
    <section aria-label={title} className={styles['section']}>
      <h2>{title}</h2>
      {table.rows.length === 0 ? <p>{said.none}</p> : <DataTable {...table} label={title} />}
    </section>
  )
}
