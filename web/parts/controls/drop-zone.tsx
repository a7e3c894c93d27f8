import { FolderUp } from 'lucide-react'
import { type ChangeEvent, type DragEvent, type ReactNode, useId, useState } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import { words } from '#web/words/words.ts'
import { buttonClass } from './button.tsx'
import styles from './drop-zone.module.css'

interface DropZoneProps {
  /** What it says above its buttons. */
  readonly title?: string
  readonly isBusy?: boolean
  readonly onDrop: (items: DataTransferItemList) => void
  readonly onChoose: (files: readonly File[]) => void
  readonly children?: ReactNode
}

/** Takes a folder, a zip or files, dropped or chosen. What it gets, it hands on as the browser has it. */
export function DropZone({ title, isBusy = false, onDrop, onChoose, children }: DropZoneProps) {
  const folderId = useId()
  const filesId = useId()
  const [isOver, setOver] = useState(false)
  const { drop } = words.parts
  const drag = (event: DragEvent) => {
    event.preventDefault()
    setOver(event.type === 'dragover')
  }
  const input = {
    className: 'visually-hidden',
    disabled: isBusy,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
      const files = [...(target.files ?? [])]
      if (files.length > 0) onChoose(files)
      // Else the same could not be chosen again.
      target.value = ''
    },
    type: 'file',
  }
  return (
    <fieldset
      aria-busy={isBusy}
      className={styles['zone']}
      data-over={isOver || undefined}
      onDragLeave={drag}
      onDragOver={drag}
      onDrop={(event) => {
        drag(event)
        if (!isBusy) onDrop(event.dataTransfer.items)
      }}
    >
      <legend className="visually-hidden">{title ?? drop.title}</legend>
      <span className={styles['tile']}>
        <Icon of={FolderUp} size={20} />
      </span>
      <p className={styles['title']}>{stateOf(isBusy, isOver) ?? title ?? drop.title}</p>
      <div className={styles['choices']}>
        <input {...input} id={folderId} multiple webkitdirectory="" />
        <label className={buttonClass('secondary')} htmlFor={folderId}>
          {drop.folder}
        </label>
        <input {...input} id={filesId} multiple />
        <label className={buttonClass('ghost')} htmlFor={filesId}>
          {drop.files}
        </label>
      </div>
      {children}
    </fieldset>
  )
}

function stateOf(isBusy: boolean, isOver: boolean): string | null {
  if (isBusy) return words.parts.drop.reading
  return isOver ? words.parts.drop.release : null
}
