import { type FormEvent, useEffect, useRef, useState } from 'react'
import { parseSitePath } from '#site/path.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { ConfirmDialog } from '#web/parts/overlays/confirm.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { ApiError } from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { goTo } from '#web/shell/routing/address.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { bytesOf, editAddress, isSame, readContent } from './live-file.ts'
import type { ListedFile } from './tree-rows.ts'
import { type SiteChange, useSiteChange } from './use-site-change.ts'

/** What is to be done with a file, besides editing it. */
export type FileAction =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename'; readonly file: ListedFile }
  | { readonly kind: 'remove'; readonly file: ListedFile }

interface FileDialogProps {
  readonly rkey: string
  readonly files: readonly ListedFile[]
  /** Null: no dialog is open. */
  readonly action: FileAction | null
  readonly onClose: () => void
}

/** Asks what a file is called, or whether it is to go. */
export default function FileDialog({ action, files, onClose, rkey }: FileDialogProps) {
  const texts = words.files
  const { publish } = useSiteChange(rkey)
  const [removed, setRemoved] = useState('')
  const path = action?.kind === 'remove' ? action.file.path : removed
  const remove = (): void => {
    setRemoved(path)
    const change = {
      remove: [path],
      message: texts.messages.removed(path),
      done: () => texts.removed(path),
    }
    publish(change).catch((error) => toast(problemOf(error), { tone: 'danger' }))
  }
  const isNaming = action?.kind === 'create' || action?.kind === 'rename'
  return (
    <>
      <Dialog
        isOpen={isNaming}
        onClose={onClose}
        title={action?.kind === 'rename' ? texts.renameTitle : texts.create}
      >
        {isNaming && (
          <PathForm
            file={action.kind === 'rename' ? action.file : null}
            files={files}
            onClose={onClose}
            publish={publish}
            rkey={rkey}
          />
        )}
      </Dialog>
      <ConfirmDialog
        isOpen={action?.kind === 'remove'}
        onClose={onClose}
        onConfirm={remove}
        title={texts.removeTitle(path)}
        yes={texts.removeYes}
      >
        <p>{texts.removeText}</p>
      </ConfirmDialog>
    </>
  )
}

interface PathFormProps extends Pick<FileDialogProps, 'files' | 'onClose' | 'rkey'> {
  /** The file that is renamed; null: a new one. */
  readonly file: ListedFile | null
  readonly publish: (change: SiteChange) => Promise<boolean>
}

function PathForm({ file, files, onClose, publish, rkey }: PathFormProps) {
  const texts = words.files
  const { isBusy, problem, run, setProblem } = useAction()
  const [typed, setTyped] = useState(file?.path ?? '')
  // It may be cancelled while it is published: nothing opens then.
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const path = parseSitePath(typed.trim().replace(/^\/+/, ''))
    if (path === null) return setProblem(texts.badPath)
    if (path === file?.path) return onClose()
    if (files.some((known) => known.path === path)) return setProblem(texts.pathTaken(path))
    const isDone = await run(async () => publish(await changeTo(path)))
    if (!isDone || !isOpen.current) return
    onClose()
    if (file === null) goTo(editAddress(rkey, path))
  }
  const changeTo = async (path: string): Promise<SiteChange> => {
    const done = (isLive: boolean): string =>
      isLive ? texts.published(path) : texts.publishedSoon(path)
    if (file === null) {
      const set = [{ path, content: new Blob([]) }]
      const check = () => checkFree(rkey, path)
      return { set, message: texts.messages.created(path), done, check }
    }
    const content = await readContent(rkey, file.path)
    if (content === null) throw new ApiError(404, texts.missing(file.path))
    return {
      set: [{ path, content }],
      remove: [file.path],
      message: texts.messages.renamed(file.path, path),
      done,
      check: async () => {
        await checkFree(rkey, path)
        const live = await readContent(rkey, file.path)
        if (live === null) throw new ApiError(404, texts.missing(file.path))
        if (!isSame(await bytesOf(live), await bytesOf(content))) {
          throw new ApiError(409, texts.changed(file.path))
        }
      },
    }
  }
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        autoComplete="off"
        autoFocus
        dir="auto"
        hint={file === null ? texts.pathHint : texts.renameHint}
        label={texts.path}
        onChange={({ target }) => {
          setTyped(target.value)
          setProblem(null)
        }}
        problem={problem}
        value={typed}
      />
      <footer>
        <Button look="secondary" onClick={onClose}>
          {words.parts.cancel}
        </Button>
        <Button isBusy={isBusy} type="submit">
          {file === null ? texts.createYes : texts.renameYes}
        </Button>
      </footer>
    </form>
  )
}

/** What appeared at the path since the list was read is not replaced. */
async function checkFree(rkey: string, path: string): Promise<void> {
  const taken = await readContent(rkey, path)
  if (taken !== null) throw new ApiError(409, words.files.pathTaken(path))
}
