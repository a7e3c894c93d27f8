import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { renameName } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { labelProblem } from './label-problem.ts'

interface RenameDialogProps {
  readonly domain: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Asks for another name in place of a claimed one. */
export function RenameDialog({ isOpen, ...rest }: RenameDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={rest.onClose} title={words.domains.renameTitle(rest.domain)}>
      <RenameForm {...rest} />
    </Dialog>
  )
}

function RenameForm({ domain, onClose }: Omit<RenameDialogProps, 'isOpen'>) {
  const client = useQueryClient()
  const { isBusy, problem, run, setProblem } = useAction()
  const [label, setLabel] = useState('')
  const texts = words.domains
  const rename = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = labelProblem(label.trim())
    if (wrong !== null) return setProblem(wrong)
    const isDone = await run(async () => {
      toast(texts.renamed(await renameName(domain, label.trim())))
      await refreshAddresses(client)
    })
    if (isDone) onClose()
  }
  return (
    <form noValidate onSubmit={(event) => void rename(event)}>
      <TextField
        autoComplete="off"
        autoFocus
        hint={texts.renameHint}
        label={texts.claim.label}
        onChange={({ target }) => {
          setLabel(target.value)
          setProblem(null)
        }}
        problem={problem}
        suffix={domain.replace(/^[^.]+/, '')}
        value={label}
      />
      <footer>
        <Button look="secondary" onClick={onClose}>
          {words.parts.cancel}
        </Button>
        <Button isBusy={isBusy} type="submit">
          {texts.renameYes}
        </Button>
      </footer>
    </form>
  )
}
