import { DropZone } from '#web/parts/controls/drop-zone.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { entriesOfDrop } from '#web/publish/files/dropped.ts'
import { words } from '#web/words/words.ts'
import styles from './file-drop.module.css'
import { publishSession, type SessionState } from './publish-session.ts'

interface FileDropProps {
  readonly session: SessionState
  readonly title?: string
  /** Something was dropped or chosen, and is being read. */
  readonly onTaken?: () => void
}

/** Takes what is to be published, dropped or chosen, and says how the reading goes. */
export function FileDrop({ session, title, onTaken }: FileDropProps) {
  const { choice, found, problem } = session
  const { zone } = words.publish
  // With something chosen it steps back. It stays the same element: a file dialog may be open while a choice is restored.
  return (
    <div className={choice === null ? undefined : styles['again']}>
      <DropZone
        isBusy={found !== null}
        onChoose={(files) => {
          void publishSession.takeChosen(files)
          onTaken?.()
        }}
        onDrop={(items) => {
          void publishSession.takeEntries(entriesOfDrop(items))
          onTaken?.()
        }}
        title={title ?? (choice === null ? zone.title : zone.another)}
      >
        {found !== null && found > 0 && <p role="status">{zone.found(found)}</p>}
        {problem !== null && <Problem>{problem}</Problem>}
      </DropZone>
    </div>
  )
}
