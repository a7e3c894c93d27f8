import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import {
  addPublisher,
  type Publisher,
  publishersQuery,
  removePublisher,
} from '#web/server/deployers.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { type Forge, forgeName, issuers, repositoryName } from './forges.ts'
import styles from './from-ci.module.css'
import { LastUse } from './last-use.tsx'
import { scopeChoices, type TokenScope } from './token-scope.ts'

/** The repositories whose jobs may deploy a site, and one more. */
export function Publishers({ rkey }: { rkey: string }) {
  const id = useId()
  const { ci } = words
  const { data, error } = useQuery(publishersQuery(rkey))
  return (
    <section aria-labelledby={id} className={styles['list']}>
      <h3 id={id}>{ci.repositories.title}</h3>
      <p className={styles['hint']}>{ci.repositories.hint}</p>
      {data === undefined && error !== null && <Problem>{ci.loadFailed}</Problem>}
      {data?.length === 0 && <p>{ci.repositories.none}</p>}
      {data?.map((publisher) => (
        <PublisherRow key={publisher.id} publisher={publisher} rkey={rkey} />
      ))}
      <AddPublisher rkey={rkey} />
    </section>
  )
}

function PublisherRow({ publisher, rkey }: { publisher: Publisher; rkey: string }) {
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const { ci } = words
  const { environment, id, issuer, lastUsedAt, ref, repository, scope } = publisher
  const remove = async () => {
    await run(() => removePublisher(rkey, id))
    await client.invalidateQueries(publishersQuery(rkey))
  }
  const jobs = ref?.replace(/^refs\/heads\//, '') ?? environment ?? ci.repositories.any
  return (
    <div className={styles['row']}>
      <div className={styles['facts']}>
        <strong>{repository}</strong>
        <span className={styles['hint']}>
          {forgeName(issuer)} · {jobs} · {ci.scopes[scope]} · <LastUse at={lastUsedAt} />
        </span>
      </div>
      <Confirm
        isBusy={isBusy}
        label={ci.repositories.remove}
        look="ghost"
        onConfirm={() => void remove()}
        title={ci.repositories.question(repository)}
        yes={ci.repositories.yes}
      >
        <p>{ci.repositories.text}</p>
      </Confirm>
      {problem !== null && <Problem>{problem}</Problem>}
    </div>
  )
}

function AddPublisher({ rkey }: { rkey: string }) {
  const client = useQueryClient()
  const { repositories: texts, scope: scopeLabel } = words.ci
  const { isBusy, problem, run, setProblem } = useAction()
  const [forge, setForge] = useState<Forge>('github')
  const [issuer, setIssuer] = useState<string>(issuers.github)
  const [repository, setRepository] = useState('')
  const [branch, setBranch] = useState('main')
  const [scope, setScope] = useState<TokenScope>('deploy')
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const name = repositoryName(repository.trim())
    if (name === '') return setProblem(texts.missing)
    if (scope === 'deploy' && branch.trim() === '') return setProblem(texts.branchMissing)
    const ref = branch.trim() === '' ? {} : { ref: `refs/heads/${branch.trim()}` }
    const publisher = { issuer: issuer.trim().replace(/\/$/, ''), repository: name, scope, ...ref }
    const isAdded = await run(() => addPublisher(rkey, publisher))
    if (!isAdded) return
    toast(texts.added(name))
    setRepository('')
    await client.invalidateQueries(publishersQuery(rkey))
  }
  return (
    <form
      aria-label={texts.add}
      className={styles['list']}
      noValidate
      onSubmit={(e) => void add(e)}
    >
      <div className={styles['fields']}>
        <Select
          choices={Object.entries(texts.forges).map(([value, name]) => ({ value, name }))}
          label={texts.forge}
          onChange={({ target }) => {
            const chosen = target.value as Forge
            setForge(chosen)
            setIssuer(issuers[chosen])
          }}
          value={forge}
        />
        {forge !== 'github' && (
          <TextField
            hint={texts.addressHint[forge]}
            label={texts.address}
            onChange={({ target }) => setIssuer(target.value)}
            value={issuer}
          />
        )}
        <TextField
          autoComplete="off"
          hint={texts.repositoryHint}
          label={texts.repository}
          onChange={({ target }) => setRepository(target.value)}
          value={repository}
        />
        <Select
          choices={scopeChoices()}
          label={scopeLabel}
          onChange={({ target }) => setScope(target.value as TokenScope)}
          value={scope}
        />
        <TextField
          autoComplete="off"
          hint={texts.branchHint}
          label={texts.branch}
          onChange={({ target }) => setBranch(target.value)}
          value={branch}
        />
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
      <div>
        <Button isBusy={isBusy} look="secondary" type="submit">
          {texts.add}
        </Button>
      </div>
    </form>
  )
}
