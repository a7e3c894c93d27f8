import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import type { Version } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { words } from '#web/words/words.ts'
import { changeVersion } from './change-version.ts'

interface MessageDialogProps {
  readonly rkey: string
  readonly version: Version
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Asks what a version is, in a sentence. */
export function MessageDialog({ isOpen, ...rest }: MessageDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={rest.onClose} title={words.versions.editMessage}>
      <MessageForm {...rest} />
    </Dialog>
  )
}

function MessageForm({ rkey, version, onClose }: Omit<MessageDialogProps, 'isOpen'>) {
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const [text, setText] = useState(version.message ?? '')
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const message = text.trim() === '' ? null : text.trim()
    const isSaved = await run(() => changeVersion(client, rkey, version.id, { message }))
    if (isSaved) onClose()
  }
  return (
    <form noValidate onSubmit={(event) => void save(event)}>
      <TextField
        autoFocus
        dir="auto"
        hint={words.versions.messageHint}
        label={words.versions.message}
        onChange={({ target }) => setText(target.value)}
        problem={problem}
        value={text}
      />
      <footer>
        <Button look="secondary" onClick={onClose}>
          {words.parts.cancel}
        </Button>
        <Button isBusy={isBusy} type="submit">
          {words.versions.saveMessage}
        </Button>
      </footer>
    </form>
  )
}
