import { useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { formatBytes } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { changesQuery } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import { changedFiles } from './changed-files.ts'
import styles from './version-changes.module.css'

interface VersionChangesProps {
  readonly rkey: string
  readonly id: string
  /** Id of the version to compare with; null: there is none. */
  readonly before: string | null
}

/** In what a version differs from the one before it. It is asked for when it is opened. */
export function VersionChanges({ rkey, id, before }: VersionChangesProps) {
  const [isOpen, setOpen] = useState(false)
  const toggle = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) =>
    setOpen(currentTarget.open)
  return (
    <details className={styles['changes']} onToggle={toggle}>
      <summary>{words.versions.changes.summary}</summary>
      {isOpen && before === null && <p>{words.versions.changes.first}</p>}
      {isOpen && before !== null && <Compared before={before} id={id} rkey={rkey} />}
    </details>
  )
}

/** Longer lists end with how many more there are, and a button that adds some. */
const filesShownMax = 50
const filesAddedMax = 500

function Compared({ rkey, id, before }: VersionChangesProps & { readonly before: string }) {
  const { data, error } = useQuery(changesQuery(rkey, id, before))
  const [shownMax, setShownMax] = useState(filesShownMax)
  const texts = words.versions.changes
  if (error !== null && data === undefined) return <Problem>{error.message}</Problem>
  if (data === undefined) return <p role="status">{texts.loading}</p>
  const { settings } = data
  const files = changedFiles(data)
  const hidden = files.length - shownMax
  if (files.length + settings.length === 0) return <p>{texts.none}</p>
  return (
    <>
      <ul className={styles['list']}>
        {files.slice(0, shownMax).map(({ path, bytes, kind }) => (
          <li data-kind={kind} key={`${kind} ${path}`}>
            <span className={styles['kind']}>{texts[kind]}</span>
            <bdi className={styles['path']}>{path}</bdi>
            <span className={styles['size']}>{formatBytes(bytes)}</span>
          </li>
        ))}
        {settings.map(({ field, from, to }) => (
          <li data-kind="changed" key={field}>
            <span className={styles['kind']}>{texts.setting}</span>
            <span className={styles['path']}>
              {field}: <bdi>{shown(from)}</bdi> → <bdi>{shown(to)}</bdi>
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p className={styles['more']}>
          {texts.moreFiles(hidden)}
          <Button look="ghost" onClick={() => setShownMax(shownMax + filesAddedMax)}>
            {texts.showMore}
          </Button>
        </p>
      )}
    </>
  )
}

const settingCharsMax = 80

function shown(value: unknown): string {
  if (value === undefined || value === null) return words.versions.changes.notSet
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > settingCharsMax ? `${text.slice(0, settingCharsMax)}…` : text
}
