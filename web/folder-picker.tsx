import { type DragEvent, useId, useState } from 'react'
import {
  type Collection,
  collectFiles,
  filesOfDrop,
  filesOfInput,
  type PickedFile,
} from './collect-files.ts'
import styles from './folder-picker.module.css'
import { Problem } from './problem.tsx'

interface FolderPickerProps {
  readonly isChosen: boolean
  readonly onCollect: (collection: Collection) => void
}

/** Takes a folder from the file dialog or from a drop. */
export function FolderPicker({ isChosen, onCollect }: FolderPickerProps) {
  const inputId = useId()
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
    void take(filesOfDrop(event.dataTransfer.items))
  }

  return (
    <fieldset
      className={isOver ? styles['zoneOver'] : styles['zone']}
      onDragLeave={drag}
      onDragOver={drag}
      onDrop={drop}
    >
      <legend className="visually-hidden">Folder</legend>
      <input
        className="visually-hidden"
        id={inputId}
        multiple
        onChange={(event) => void take(Promise.resolve(filesOfInput(event.target.files ?? [])))}
        type="file"
        webkitdirectory=""
      />
      <label className={styles['choose']} htmlFor={inputId}>
        {isChosen ? 'Choose another folder' : 'Choose a folder'}
      </label>
      <p className={styles['or']}>or drop it here</p>
      {state === 'reading' && <p role="status">Reading the folder…</p>}
      {state === 'unreadable' && <Problem>The folder could not be read. Choose it again.</Problem>}
    </fieldset>
  )
}
