import { GitCommitHorizontal, Pin } from 'lucide-react'
import { formatBytes } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Facts } from '#web/parts/facts.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { type State, Status } from '#web/parts/status.tsx'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import type { Version } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import { sourceOf } from './source-of.ts'
import { useRestore } from './use-restore.ts'
import { VersionChanges } from './version-changes.tsx'
import styles from './version-item.module.css'
import { VersionMenu } from './version-menu.tsx'

interface VersionItemProps {
  readonly rkey: string
  readonly version: Version
  /** Id of the version that it replaced; null: none is known. */
  readonly before: string | null
  /** Id of the live version; null: it is not on this page. */
  readonly live: string | null
}

const dots: Readonly<Record<Version['state'], State>> = {
  live: 'live',
  replaced: 'resting',
  preview: 'waiting',
  refused: 'broken',
  expired: 'resting',
}

export function VersionItem({ rkey, version, before, live }: VersionItemProps) {
  const { state, problems } = version
  const texts = words.versions
  const { isBusy, restore } = useRestore(rkey, live)
  const canRestore = state === 'replaced' || state === 'preview'
  return (
    <li className={styles['item']} data-state={state}>
      <div className={styles['head']}>
        <div className={styles['name']}>
          <strong className={styles['title']} dir="auto">
            {titleOf(version)}
          </strong>
          <div className={styles['facts']}>
            <FactsOf version={version} />
          </div>
        </div>
        <div className={styles['actions']}>
          <Status state={dots[state]}>{texts.states[state]}</Status>
          {canRestore && (
            <Button isBusy={isBusy} look="secondary" onClick={() => void restore(version)}>
              {labelOf(state, isBusy)}
            </Button>
          )}
          <VersionMenu rkey={rkey} title={titleOf(version)} version={version} />
        </div>
      </div>
      <Addresses version={version} />
      {problems.length > 0 && (
        <div className={styles['problems']}>
          <strong>{texts.problems}</strong>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
      {(state === 'live' || canRestore) && (
        <VersionChanges before={state === 'preview' ? live : before} id={version.id} rkey={rkey} />
      )}
    </li>
  )
}

const titleOf = ({ message, state }: Version): string =>
  message ?? (state === 'preview' ? words.versions.untitledPreview : words.versions.untitled)

function labelOf(state: Version['state'], isBusy: boolean): string {
  if (isBusy) return words.versions.restoring
  return state === 'preview' ? words.versions.promote : words.versions.restore
}

function FactsOf({ version }: { version: Version }) {
  const { by, bytes, createdAt, expiresAt, fileCount, pinned, state } = version
  const texts = words.versions
  const source = sourceOf(version.source)
  return (
    <Facts>
      <TimeAgo at={version.publishedAt ?? createdAt} />
      <span>{texts.files(fileCount)}</span>
      <span>{formatBytes(bytes)}</span>
      {by === 'other-program' && <span>{texts.byOther}</span>}
      {state === 'preview' && expiresAt !== null && (
        <span>{texts.until(new Date(expiresAt).toLocaleDateString(words.locale))}</span>
      )}
      {source !== null && (
        <span className={styles['source']}>
          <Icon of={GitCommitHorizontal} />
          {source.href === null ? (
            <bdi>{source.text}</bdi>
          ) : (
            <a href={source.href} rel="noopener" target="_blank">
              <bdi>{source.text}</bdi>
            </a>
          )}
        </span>
      )}
      {pinned && (
        <span className={styles['source']}>
          <Icon of={Pin} />
          {texts.pinned}
        </span>
      )}
    </Facts>
  )
}

function Addresses({ version: { previewUrl, url } }: { version: Version }) {
  const address = previewUrl ?? url
  if (address === null) return null
  const what = previewUrl === null ? words.versions.address : words.versions.previewAddress
  return (
    <p className={styles['address']}>
      <a href={address} rel="noopener" target="_blank">
        {new URL(address).host}
      </a>
      <CopyButton isSmall text={address} what={what} />
    </p>
  )
}
