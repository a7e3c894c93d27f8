import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { messageOf } from '#web/admin/admin-session.ts'
import { Button } from '#web/parts/controls/button.tsx'
import fieldStyles from '#web/parts/controls/field.module.css'
import { Problem } from '#web/parts/controls/problem.tsx'
import { partsWords } from '#web/words/admin/parts.ts'
import styles from './action-dialog.module.css'

const said = partsWords.actionDialog

interface ActionDialogProps {
  /** On the button that opens it, and on the one that does it. */
  readonly label: string
  /** What is about to be done, as a question. */
  readonly title: string
  /** What will happen, and what will not. */
  readonly says: string
  /** It takes something from somebody. */
  readonly isDangerous?: boolean
  /** Does it, and tells what was done in a sentence. */
  readonly perform: (fields: FormData, reason: string) => Promise<string>
  readonly onDone: (told: string) => void
  /** Fields above the reason. */
  readonly children?: ReactNode
}

/** A button for an action on somebody's site, name or account: a dialog says what will happen and asks why. */
export function ActionDialog(props: ActionDialogProps) {
  const { label, title } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const [opened, setOpened] = useState(0)
  const titleId = useId()
  const open = () => {
    setOpened(opened + 1)
    dialog.current?.showModal()
  }
  return (
    <>
      <Button look="secondary" onClick={open}>
        {label}
      </Button>
      <dialog aria-labelledby={titleId} className={styles['dialog']} ref={dialog}>
        <h2 id={titleId}>{title}</h2>
        {/* Opened again, it begins anew. */}
        <ActionForm key={opened} {...props} close={() => dialog.current?.close()} />
      </dialog>
    </>
  )
}

/** As the contract has it for every action. */
const reasonMax = 500

function ActionForm(props: ActionDialogProps & { readonly close: () => void }) {
  const { label, says, isDangerous = false, perform, onDone, children, close } = props
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const id = useId()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      const told = await perform(fields, String(fields.get('reason')).trim())
      close()
      onDone(told)
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <form className={styles['form']} onSubmit={(event) => void submit(event)}>
      <p>{says}</p>
      {children}
      <div className={fieldStyles['field']}>
        <label htmlFor={id}>{said.reason}</label>
        <textarea
          aria-describedby={`${id}-hint`}
          className={fieldStyles['control']}
          id={id}
          maxLength={reasonMax}
          name="reason"
          required
          rows={3}
        />
        <p className={fieldStyles['hint']} id={`${id}-hint`}>
          {said.reasonHint}
        </p>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
      <div className={styles['buttons']}>
        <Button look="secondary" onClick={close}>
          Cancel
        </Button>
        <div className={isDangerous ? styles['danger'] : undefined}>
          <Button isBusy={isBusy} type="submit">
            {isBusy ? said.busy : label}
          </Button>
        </div>
      </div>
    </form>
  )
}
