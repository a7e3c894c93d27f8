import { type FormEvent, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { siteNameProblem } from '#web/publish/site-name-problem.ts'
import { freeSiteName } from '#web/publish/suggest-site-name.ts'
import { words } from '#web/words/words.ts'

interface BringOverDialogProps {
  readonly rkey: string
  readonly taken: readonly string[]
  readonly onName: (rkey: string) => void
  readonly onClose: () => void
}

/** Asks for another name, because the account has a site with that of the foreign one. */
export function BringOverDialog({ rkey, taken, onName, onClose }: BringOverDialogProps) {
  const { foreign } = words
  const [name, setName] = useState(() => freeSiteName(rkey, [...taken, rkey]))
  const problem = taken.includes(name) ? foreign.taken(name) : siteNameProblem(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem === null) onName(name)
  }
  return (
    <Dialog isOpen onClose={onClose} title={foreign.bringOf(rkey)}>
      <form onSubmit={submit}>
        <p>{foreign.nameTaken(rkey)}</p>
        <TextField
          label={foreign.name}
          onChange={(event) => setName(event.target.value)}
          problem={problem}
          value={name}
        />
        <footer>
          <Button look="secondary" onClick={onClose}>
            {words.parts.cancel}
          </Button>
          <Button type="submit">{foreign.bring}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
