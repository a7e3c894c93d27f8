import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, type ButtonLook } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { words } from '#web/words/words.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  /** On the button that asks. */
  readonly label: string
  /** What is to be confirmed, as a question. */
  readonly title: string
  /** On the button that does it: a verb with its object. */
  readonly yes: string
  /** What has to be typed before, for what destroys much. */
  readonly typed?: string
  readonly look?: ButtonLook
  readonly isBusy: boolean
  readonly onConfirm: () => void
  readonly children: ReactNode
}

/** A button for an action that cannot be undone: a dialog lists what will be lost and asks again. */
export function Confirm(props: ConfirmProps) {
  const { label, title, yes, typed, look = 'secondary', isBusy, onConfirm, children } = props
  const [isOpen, setOpen] = useState(false)
  const name = title.replace('?', '')
  return (
    <>
      <Button
        aria-label={name.includes(label) ? name : undefined}
        isBusy={isBusy}
        look={look}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={onConfirm}
        title={title}
        yes={yes}
        {...(typed !== undefined && { typed })}
      >
        {children}
      </ConfirmDialog>
    </>
  )
}

interface ConfirmDialogProps
  extends Pick<ConfirmProps, 'title' | 'yes' | 'typed' | 'onConfirm' | 'children'> {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The question alone, where something else than a button asks it, such as a menu. */
export function ConfirmDialog({ isOpen, onClose, ...question }: ConfirmDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={question.title}>
      <Question {...question} onClose={onClose} />
    </Dialog>
  )
}

/** Asked anew each time the dialog opens. */
function Question(props: Omit<ConfirmDialogProps, 'isOpen' | 'title'>) {
  const { yes, typed, onConfirm, onClose, children } = props
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed !== undefined && text.trim() !== typed) {
      return setProblem(words.parts.typedWrong(typed))
    }
    onClose()
    onConfirm()
  }
  return (
    <form noValidate onSubmit={submit}>
      {children}
      {typed !== undefined && (
        <TextField
          autoComplete="off"
          label={words.parts.typeToConfirm(typed)}
          onChange={(event) => {
            setText(event.target.value)
            setProblem(null)
          }}
          problem={problem}
          value={text}
        />
      )}
      <footer>
        {/* It has the focus: pressing Enter too early loses nothing. */}
        <Button autoFocus={typed === undefined} look="secondary" onClick={onClose}>
          {words.parts.cancel}
        </Button>
        <Button look="danger" type="submit">
          {yes}
        </Button>
      </footer>
    </form>
  )
}
