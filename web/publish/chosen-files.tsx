import { FileArchive, FolderOpen, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatBytes } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Notice } from '#web/parts/notice.tsx'
import type { Choice } from '#web/publish/files/choose-files.ts'
import { titleOfSite } from '#web/publish/files/site-title.ts'
import { words } from '#web/words/words.ts'
import styles from './chosen-files.module.css'
import { publishSession, type SessionState } from './publish-session.ts'
import { SkippedFiles } from './skipped-files.tsx'

interface ChosenFilesProps {
  readonly choice: Choice
  readonly session: SessionState
}

/** What is about to be published, so that a wrong folder is noticed before it is online. */
export function ChosenFiles({ choice, session }: ChosenFilesProps) {
  const { files, folder, isSealed, leftOut, notes, problems, totalBytes } = choice
  const { chosen } = words.publish
  const title = useTitle(choice)
  const { kept } = session
  return (
    <section aria-label={chosen.title} className={styles['chosen']}>
      <header className={styles['head']}>
        <span className={styles['tile']}>
          <Icon of={isSealed ? FileArchive : FolderOpen} size={20} />
        </span>
        <p className={styles['name']} role="status">
          <strong>{title ?? (folder || words.publish.files(files.length))}</strong>
          <span className={styles['facts']}>
            {!isSealed && `${words.publish.files(files.length)}, `}
            {formatBytes(totalBytes)}
            {isSealed && `. ${chosen.archive}`}
          </span>
        </p>
        <IconButton icon={X} label={chosen.remove} onClick={() => void publishSession.clear()} />
      </header>
      {problems.map((problem) => (
        <Problem key={problem}>{problem}</Problem>
      ))}
      {problems.length > 0 && <p className={styles['facts']}>{chosen.mend}</p>}
      {problems.length === 0 && <StartPageNotice choice={choice} session={session} />}
      {notes.map((note) => (
        <Notice key={note} tone="warn">
          {note}
        </Notice>
      ))}
      {session.isRestored && <p className={styles['facts']}>{chosen.kept}</p>}
      {kept !== null && kept !== 'kept' && <Notice tone="warn">{chosen.notKept[kept]}</Notice>}
      <SkippedFiles files={leftOut} />
    </section>
  )
}

function StartPageNotice({ choice, session }: ChosenFilesProps) {
  const { chosen } = words.publish
  const { startPage } = choice
  if (session.startPage !== null) {
    return <p className={styles['facts']}>{chosen.isStartPage(session.startPage)}</p>
  }
  switch (startPage.kind) {
    case 'index':
      return null
    case 'none':
      return <Notice tone="warn">{chosen.noStartPage}</Notice>
    case 'folder': {
      const { folder } = startPage
      const use = () => void publishSession.takeFolder(folder)
      const action = (
        <Button look="secondary" onClick={use}>
          {chosen.folderInstead(folder)}
        </Button>
      )
      return (
        <Notice action={action} tone="warn">
          {chosen.folder(folder)}
        </Notice>
      )
    }
    case 'page': {
      const { page } = startPage
      const action = (
        <Button look="secondary" onClick={() => publishSession.setStartPage(page)}>
          {chosen.pageInstead(page)}
        </Button>
      )
      return (
        <Notice action={action} tone="warn">
          {chosen.page(page)}
        </Notice>
      )
    }
  }
}

/** As the start page calls the site; null while that is unknown. */
function useTitle(choice: Choice): string | null {
  const [title, setTitle] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    setTitle(null)
    // What cannot be read is said when it is published.
    void titleOfSite(choice).then(
      (found) => isCurrent && setTitle(found),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [choice])
  return title
}
