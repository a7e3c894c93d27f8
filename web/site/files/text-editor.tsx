import { useEffect, useRef, useState } from 'react'
import { formatBytes, formatLimit } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { useLeaveGuard } from '#web/shell/routing/use-leave-guard.tsx'
import { words } from '#web/words/words.ts'
import { CodeField } from './code-field.tsx'
import { Conflict } from './conflict.tsx'
import styles from './file-editor.module.css'
import { editText, lineEndOf, shownText } from './line-ends.ts'
import { bytesOf, editedBytesMax, isSame, readContent } from './live-file.ts'
import { decodeEditable, encodeText, type TextFile } from './text-file.ts'
import { useSiteChange } from './use-site-change.ts'

interface TextEditorProps {
  readonly rkey: string
  readonly path: string
  /** As it was read. */
  readonly file: TextFile
  /** What is live is another one now. */
  readonly onReread: () => void
}

/** What somebody else has published since the file was read; null: they deleted it. */
interface Theirs {
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

class FileChangedError extends Error {
  override readonly name = 'FileChangedError'
  readonly theirs: Theirs
  constructor(theirs: Theirs) {
    super('the file was changed meanwhile')
    this.theirs = theirs
  }
}

/** Edits a text file and publishes it. Outside of what is edited, every byte stays. */
export function TextEditor({ rkey, path, file, onReread }: TextEditorProps) {
  const texts = words.fileEditor
  // What is live, as far as this page knows: a change is made on that.
  const [base, setBase] = useState(file)
  const [text, setText] = useState(file.text)
  const [problem, setProblem] = useState<string | null>(null)
  const [theirs, setTheirs] = useState<Theirs | null>(null)
  // What was live before the last changes, as long as visitors may still get it.
  const [earlier, setEarlier] = useState<readonly (Uint8Array | null)[]>([])
  const isDirty = text !== base.text
  const isDirtyNow = useRef(isDirty)
  useEffect(() => {
    isDirtyNow.current = isDirty
  }, [isDirty])
  const { isBusy, publish } = useSiteChange(rkey, () => {
    // What was typed meanwhile stays: publishing it says that the file is another one now.
    if (!isDirtyNow.current) onReread()
  })
  const leaving = useLeaveGuard(isDirty, texts.leaving)
  const edited = { ...base, text }

  const publishOn = async (onto: Uint8Array | null): Promise<void> => {
    const bytes = encodeText(edited)
    if (bytes === null) return setProblem(texts.noSuchCharacter)
    if (bytes.length > editedBytesMax) {
      return setProblem(texts.grownTooLarge(formatLimit(editedBytesMax)))
    }
    setProblem(null)
    try {
      const isLive = await publish({
        set: [{ path, content: new Blob([bytes]) }],
        message: words.files.messages.edited(path),
        done: (isLive) => (isLive ? words.files.published(path) : words.files.publishedSoon(path)),
        check: async () => {
          const live = await bytesOf(await readContent(rkey, path))
          if (![onto, ...earlier].some((known) => isSame(live, known))) {
            throw new FileChangedError({ bytes: live })
          }
        },
      })
      setTheirs(null)
      setBase(edited)
      setEarlier(isLive ? [] : [...earlier, onto])
    } catch (error) {
      if (error instanceof FileChangedError) setTheirs(error.theirs)
      else if (!leaveIfSignedOut(error)) setProblem(problemOf(error))
    }
  }
  const save = (): void => {
    if (isDirty && !isBusy && theirs === null) void publishOn(encodeText(base))
  }
  useShortcut(save)
  const takeTheirs = (): void => {
    const decoded = theirs?.bytes == null ? null : decodeEditable(theirs.bytes)
    if (decoded === null) {
      onReread()
      return
    }
    setTheirs(null)
    setBase(decoded)
    setText(decoded.text)
  }
  return (
    <div className={styles['editor']}>
      {theirs !== null && (
        <Conflict
          isBusy={isBusy}
          mine={text}
          onMine={() => void publishOn(theirs.bytes)}
          onTheirs={takeTheirs}
          theirs={theirs.bytes}
        />
      )}
      <CodeField
        label={texts.content(path)}
        onChange={(shown) => {
          setProblem(null)
          setText(editText(text, shown))
        }}
        text={shownText(text)}
      />
      {problem !== null && <Problem>{problem}</Problem>}
      <div className={styles['bar']} data-dirty={isDirty || undefined}>
        <p className={styles['facts']}>
          <Facts file={edited} />
        </p>
        <p className={styles['state']} role="status">
          {isDirty ? texts.unsaved : texts.unchanged}
        </p>
        {isDirty && !isBusy && (
          <Button look="ghost" onClick={() => setText(base.text)}>
            {texts.discard}
          </Button>
        )}
        {theirs === null && (
          <Button isBusy={isBusy} look={isDirty ? 'primary' : 'secondary'} onClick={save}>
            {isBusy ? texts.publishing : texts.publish}
          </Button>
        )}
      </div>
      <p className={styles['hint']}>{texts.shortcut(saveKeys())}</p>
      {leaving}
    </div>
  )
}

function Facts({ file }: { readonly file: TextFile }) {
  const texts = words.fileEditor
  const { encoding, hasMark, text } = file
  const lines = shownText(text).split('\n').length
  const facts = [
    texts.facts(lines, formatBytes(encodeText(file)?.length ?? text.length)),
    hasMark ? `${texts.encodings[encoding]} ${texts.withMark}` : texts.encodings[encoding],
    texts.lineEnds[lineEndOf(text)],
  ]
  return facts.join(' · ')
}

/** Ctrl+S, or Cmd+S: the browser would save the page. */
function useShortcut(run: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's')
        return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

const saveKeys = (): string => (/mac|iphone|ipad/i.test(navigator.platform) ? '⌘S' : 'Ctrl+S')
