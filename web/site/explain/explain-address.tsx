import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { AnswerTo } from '#api/contract/client.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Table } from '#web/parts/table.tsx'
import { call } from '#web/server/api.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { words } from '#web/words/words.ts'
import '#web/words/own-explain.ts'
import styles from './explain-address.module.css'

type Explanation = AnswerTo<'GET /api/site/:rkey/explain'>
type Header = Explanation['headers'][number]

/** A field for an address of the site, and why visitors get there what they get. */
export default function ExplainAddress({ rkey }: { readonly rkey: string }) {
  const texts = words.explain
  const [typed, setTyped] = useState('/')
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: (address: string) =>
      call('GET /api/site/:rkey/explain', { params: { rkey }, query: { address } }),
    onError: (error) => void leaveIfSignedOut(error),
  })
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    if (!isPending) mutate(addressOf(typed.trim()))
  }
  return (
    <>
      <form className={styles['form']} noValidate onSubmit={ask}>
        <div className={styles['field']}>
          <TextField
            autoComplete="off"
            inputMode="url"
            label={texts.field}
            onChange={({ target }) => {
              setTyped(target.value)
              reset()
            }}
            problem={error?.message ?? null}
            value={typed}
          />
        </div>
        <Button isBusy={isPending} look="secondary" type="submit">
          {isPending ? texts.asking : texts.ask}
        </Button>
      </form>
      <div aria-live="polite">{data !== undefined && <Explained explanation={data} />}</div>
    </>
  )
}

/** A path needs no slash in front of it here. */
const addressOf = (typed: string): string =>
  /^(?:\/|https?:\/\/)/i.test(typed) ? typed : `/${typed}`

function Explained({ explanation }: { readonly explanation: Explanation }) {
  const texts = words.explain
  const { address, headers, overruled, rule, status } = explanation
  return (
    <div className={styles['answer']}>
      <p className={styles['address']}>
        <strong className={styles['status']} data-class={Math.floor(status / 100)}>
          <span className="visually-hidden">{texts.status} </span>
          {status}
        </strong>
        <bdi>{address}</bdi>
      </p>
      <p>
        {reasonOf(explanation)} {resultOf(explanation)}
      </p>
      {rule !== null && <pre className={styles['rule']}>{rule.text}</pre>}
      {overruled !== null && (
        <>
          <p>{texts.overruled(overruled.line)}</p>
          <pre className={styles['rule']}>{overruled.text}</pre>
        </>
      )}
      {headers.length > 0 && (
        <details>
          <summary>
            {texts.headers} ({headers.length})
          </summary>
          <Headers headers={headers} />
        </details>
      )}
    </div>
  )
}

function Headers({ headers }: { readonly headers: readonly Header[] }) {
  const texts = words.explain
  const columns = [
    { name: texts.header, cell: ({ name }: Header) => <code>{name}</code> },
    {
      name: texts.because,
      cell: ({ from }: Header) =>
        from.length === 0 ? texts.ofService : from.map(originOf).join(', '),
    },
    {
      name: words.explain.value,
      cell: ({ value }: Header) =>
        value === null ? <em>{texts.removed}</em> : <code>{value}</code>,
    },
  ]
  return (
    <Table
      caption={texts.headers}
      columns={columns}
      keyOf={({ name, value }) => `${name} ${value}`}
      rows={headers}
    />
  )
}

const originOf = (from: Header['from'][number]): string =>
  from.kind === 'file' ? words.explain.ofFile(from.line) : words.explain.ofSettings(from.index + 1)

function reasonOf({ by, location, rule }: Explanation): string {
  const reasons = words.explain.by
  switch (by) {
    case 'rule':
    case 'forced-rule':
      return reasons[by](rule?.line ?? 0)
    case 'file':
      return location === null ? reasons.file : reasons.home
    default:
      return reasons[by]
  }
}

function resultOf({ by, file, location }: Explanation): string {
  const texts = words.explain
  if (location !== null) return texts.sentTo(location)
  if (file !== null) return texts.file(file)
  return by === 'listing' ? texts.folderList : texts.ourPage
}
