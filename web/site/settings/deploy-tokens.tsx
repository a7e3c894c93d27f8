import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { OnceShown } from '#web/parts/once-shown.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import {
  createDeployToken,
  type DeployToken,
  deployTokensQuery,
  revokeDeployToken,
} from '#web/server/deployers.ts'
import { useAction } from '#web/server/use-action.ts'
import { words } from '#web/words/words.ts'
import styles from './from-ci.module.css'
import { LastUse } from './last-use.tsx'
import { scopeChoices, type TokenScope } from './token-scope.ts'

/** The deploy tokens of a site, and a new one, whose secret is shown once. */
export function DeployTokens({ rkey }: { rkey: string }) {
  const id = useId()
  const { ci } = words
  const { data, error } = useQuery(deployTokensQuery(rkey))
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <section aria-labelledby={id} className={styles['list']}>
      <h3 id={id}>{ci.tokens.title}</h3>
      <p className={styles['hint']}>{ci.tokens.hint}</p>
      {data === undefined && error !== null && <Problem>{ci.loadFailed}</Problem>}
      {data?.length === 0 && <p>{ci.tokens.none}</p>}
      {data?.map((token) => (
        <TokenRow key={token.id} rkey={rkey} token={token} />
      ))}
      {secret !== null && (
        <OnceShown secret={secret} title={ci.tokens.created} what={ci.tokens.secret} />
      )}
      <CreateToken onCreated={setSecret} rkey={rkey} />
    </section>
  )
}

function TokenRow({ rkey, token }: { rkey: string; token: DeployToken }) {
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const { scopes, tokens: texts } = words.ci
  const { expiresAt, id, lastUsedAt, name, scope } = token
  const revoke = async () => {
    await run(() => revokeDeployToken(rkey, id))
    await client.invalidateQueries(deployTokensQuery(rkey))
  }
  const isExpired = Date.parse(expiresAt) <= Date.now()
  const day = new Date(expiresAt).toLocaleDateString(words.locale, { dateStyle: 'medium' })
  return (
    <div className={styles['row']}>
      <div className={styles['facts']}>
        <strong>{name}</strong>
        <span className={styles['hint']}>
          {scopes[scope]} · {isExpired ? texts.expired : texts.until(day)} ·{' '}
          <LastUse at={lastUsedAt} />
        </span>
      </div>
      <Confirm
        isBusy={isBusy}
        label={texts.revoke}
        look="ghost"
        onConfirm={() => void revoke()}
        title={texts.question(name)}
        yes={texts.yes}
      >
        <p>{texts.text}</p>
      </Confirm>
      {problem !== null && <Problem>{problem}</Problem>}
    </div>
  )
}

const dayChoices = [30, 90, 365]

interface CreateTokenProps {
  readonly rkey: string
  readonly onCreated: (secret: string) => void
}

function CreateToken({ rkey, onCreated }: CreateTokenProps) {
  const client = useQueryClient()
  const { scope: scopeLabel, tokens: texts } = words.ci
  const { isBusy, problem, run, setProblem } = useAction()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<TokenScope>('deploy')
  const [days, setDays] = useState('90')
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setProblem(texts.nameMissing)
    const token = { name: name.trim(), scope, expiresInDays: Number(days) }
    const isCreated = await run(async () => {
      onCreated((await createDeployToken(rkey, token)).secret)
    })
    if (isCreated) setName('')
    await client.invalidateQueries(deployTokensQuery(rkey))
  }
  return (
    <form
      aria-label={texts.create}
      className={styles['list']}
      noValidate
      onSubmit={(event) => void create(event)}
    >
      <div className={styles['fields']}>
        <TextField
          autoComplete="off"
          hint={texts.nameHint}
          label={texts.name}
          onChange={({ target }) => {
            setName(target.value)
            setProblem(null)
          }}
          problem={problem}
          value={name}
        />
        <Select
          choices={scopeChoices()}
          label={scopeLabel}
          onChange={({ target }) => setScope(target.value as TokenScope)}
          value={scope}
        />
        <Select
          choices={dayChoices.map((n) => ({ value: String(n), name: texts.daysOf(n) }))}
          label={texts.days}
          onChange={({ target }) => setDays(target.value)}
          value={days}
        />
      </div>
      <div>
        <Button isBusy={isBusy} look="secondary" type="submit">
          {texts.create}
        </Button>
      </div>
    </form>
  )
}
