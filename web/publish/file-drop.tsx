import { DropZone } from '#web/parts/drop-zone.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { entriesOfDrop, filesOfInput } from '#web/publish/files/dropped.ts'
import { words } from '#web/words/words.ts'
import styles from './file-drop.module.css'
import { publishSession, type SessionState } from './publish-session.ts'

interface FileDropProps {
  readonly session: SessionState
  readonly title?: string
}

/** Takes what is to be published, dropped or chosen, and says how the reading goes. */
export function FileDrop({ session, title }: FileDropProps) {
  const { choice, found, problem } = session
  const { zone } = words.publish
  // With something chosen it steps back. It stays the same element: a file dialog may be open while a choice is restored.
  return (
    <div className={choice === null ? undefined : styles['again']}>
      <DropZone
        isBusy={found !== null}
        onChoose={(files) => void publishSession.takeFiles(filesOfInput(files))}
        onDrop={(items) => void publishSession.takeEntries(entriesOfDrop(items))}
        title={title ?? (choice === null ? zone.title : zone.another)}
      >
        {found !== null && found > 0 && <p role="status">{zone.found(found)}</p>}
        {problem !== null && <Problem>{problem}</Problem>}
      </DropZone>
    </div>
  )
}
