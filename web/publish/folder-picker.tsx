import { type ChangeEvent, type DragEvent, type MouseEvent, useId, useState } from 'react'
import { Problem } from '#web/parts/problem.tsx'
import {
  type Collection,
  collectFiles,
  entriesOfDrop,
  filesOfEntries,
  filesOfInput,
  type PickedFile,
} from './collect-files.ts'
import styles from './folder-picker.module.css'

interface FolderPickerProps {
  readonly isChosen: boolean
  readonly onCollect: (collection: Collection) => void
}

/** Takes a folder or an archive from the file dialog or from a drop. */
export function FolderPicker({ isChosen, onCollect }: FolderPickerProps) {
  const folderId = useId()
  const archiveId = useId()
  const [isOver, setOver] = useState(false)
  const [state, setState] = useState<'idle' | 'reading' | 'unreadable'>('idle')

  const take = async (picking: Promise<PickedFile[]>) => {
    setState('reading')
    // What browsers say here ("A requested file or directory could not be found") helps nobody.
    const picked = await picking.catch(() => null)
    setState(picked === null ? 'unreadable' : 'idle')
    if (picked !== null) onCollect(collectFiles(picked))
  }
  const drag = (event: DragEvent) => {
    event.preventDefault()
    setOver(event.type === 'dragover')
  }
  const drop = (event: DragEvent) => {
    drag(event)
    const entries = entriesOfDrop(event.dataTransfer.items)
    if (entries.length > 0) void take(filesOfEntries(entries))
  }
  const input = {
    className: 'visually-hidden',
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      void take(Promise.resolve(filesOfInput(event.target.files ?? []))),
    // Else what was chosen here before could not be chosen again after something else.
    onClick: (event: MouseEvent<HTMLInputElement>) => {
      event.currentTarget.value = ''
    },
    type: 'file',
  }

  return (
    <fieldset
      className={isOver ? styles['zoneOver'] : styles['zone']}
      onDragLeave={drag}
      onDragOver={drag}
      onDrop={drop}
    >
      <legend className="visually-hidden">Folder or archive</legend>
      <div className={styles['choices']}>
        <input {...input} id={folderId} multiple webkitdirectory="" />
        <label className={styles['choose']} htmlFor={folderId}>
          {isChosen ? 'Choose another folder' : 'Choose a folder'}
        </label>
        <input {...input} accept=".zip,.tar,.tgz,.gz" id={archiveId} />
        <label className={styles['choose']} htmlFor={archiveId}>
          Choose a zip or tar
        </label>
      </div>
      <p className={styles['or']}>or drop it here</p>
      {state === 'reading' && <p role="status">Reading what you chose…</p>}
      {state === 'unreadable' && (
        <Problem>What you chose could not be read. Choose it again.</Problem>
      )}
    </fieldset>
  )
}
