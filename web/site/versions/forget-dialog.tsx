import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { AnswerTo } from '#api/contract/client.ts'
import { formatBytes } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { call } from '#web/server/api.ts'
import { keys, type Version } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { words } from '#web/words/words.ts'
import styles from './forget-dialog.module.css'

interface ForgetDialogProps {
  readonly rkey: string
  readonly version: Version
  readonly isOpen: boolean
  readonly onClose: () => void
}

type Removed = AnswerTo<'DELETE /api/site/:rkey/versions/:id'>['removed']

/** Asks for the site's name, then deletes a version everywhere and shows what is gone. */
export function ForgetDialog({ isOpen, onClose, rkey, version }: ForgetDialogProps) {
  const client = useQueryClient()
  const [removed, setRemoved] = useState<Removed | null>(null)
  const close = () => {
    onClose()
    // The list loses the version only now: the receipt is part of its row.
    if (removed !== null) void client.invalidateQueries({ queryKey: keys.site(rkey) })
  }
  const { forgetTitle, receipt } = words.versions
  return (
    <Dialog isOpen={isOpen} onClose={close} title={removed ? receipt.title : forgetTitle}>
      {removed === null ? (
        <Question onClose={close} onForgotten={setRemoved} rkey={rkey} version={version} />
      ) : (
        <Receipt onClose={close} removed={removed} />
      )}
    </Dialog>
  )
}

interface QuestionProps extends Omit<ForgetDialogProps, 'isOpen'> {
  readonly onForgotten: (removed: Removed) => void
}

function Question({ rkey, version, onClose, onForgotten }: QuestionProps) {
  const { isBusy, problem, run } = useAction()
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const forget = async (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== rkey) return setWrong(words.parts.typedWrong(rkey))
    await run(async () => {
      const params = { rkey, id: version.id }
      onForgotten((await call('DELETE /api/site/:rkey/versions/:id', { params })).removed)
    })
  }
  return (
    <form noValidate onSubmit={(event) => void forget(event)}>
      <p>{words.versions.forgetText}</p>
      <TextField
        autoComplete="off"
        label={words.parts.typeToConfirm(rkey)}
        onChange={({ target }) => {
          setTyped(target.value)
          setWrong(null)
        }}
        problem={wrong}
        value={typed}
      />
      {problem !== null && <Problem>{problem}</Problem>}
      <footer>
        <Button look="secondary" onClick={onClose}>
          {words.parts.cancel}
        </Button>
        <Button isBusy={isBusy} look="danger" type="submit">
          {words.versions.forgetYes}
        </Button>
      </footer>
    </form>
  )
}

function Receipt({ removed, onClose }: { removed: Removed; onClose: () => void }) {
  const { receipt } = words.versions
  return (
    <>
      <p role="status">{receipt.text(removed.blobs, formatBytes(removed.bytes))}</p>
      <details className={styles['records']}>
        <summary>{receipt.records}</summary>
        <ul>
          {removed.records.map((uri) => (
            <li key={uri}>
              <code>{uri}</code>
            </li>
          ))}
        </ul>
      </details>
      <footer>
        <Button autoFocus onClick={onClose}>
          {receipt.close}
        </Button>
      </footer>
    </>
  )
}
