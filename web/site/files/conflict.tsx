import { useMemo, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { words } from '#web/words/words.ts'
import { type ComparedLine, compareLines } from './compare-lines.ts'
import styles from './file-editor.module.css'
import { shownText } from './line-ends.ts'
import { decodeEditable } from './text-file.ts'

interface ConflictProps {
  readonly mine: string
  /** Null: the file is gone. */
  readonly theirs: Uint8Array | null
  readonly isBusy: boolean
  readonly onMine: () => void
  readonly onTheirs: () => void
}

/** Somebody else was faster: what they have, and what is to be done about it. */
export function Conflict({ mine, theirs, isBusy, onMine, onTheirs }: ConflictProps) {
  const texts = words.fileEditor.conflict
  const [isOpen, setOpen] = useState(false)
  const decoded = useMemo(() => (theirs === null ? null : decodeEditable(theirs)), [theirs])
  return (
    <div className={styles['conflict']}>
      <Notice title={texts.title} tone="warn">
        <p>{theirs === null ? texts.gone : texts.text}</p>
        {theirs !== null && decoded === null && <p>{texts.notShown}</p>}
        <div className={styles['choices']}>
          {decoded !== null && (
            <Button aria-expanded={isOpen} look="secondary" onClick={() => setOpen(!isOpen)}>
              {texts.compare}
            </Button>
          )}
          <Button look="ghost" onClick={onTheirs}>
            {texts.theirs}
          </Button>
          <Button isBusy={isBusy} look="secondary" onClick={onMine}>
            {texts.mine}
          </Button>
        </div>
      </Notice>
      {isOpen && decoded !== null && <Comparison mine={mine} theirs={decoded.text} />}
    </div>
  )
}

/** Lines shown around a change. */
const contextLines = 3

function Comparison({ mine, theirs }: { readonly mine: string; readonly theirs: string }) {
  const texts = words.fileEditor.conflict
  const groups = useMemo(
    () => groupsOf(compareLines(shownText(theirs), shownText(mine))),
    [mine, theirs],
  )
  return (
    <section aria-label={texts.comparing} className={styles['comparison']}>
      {groups.map((group, at) =>
        typeof group === 'number' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew as a whole.
          <p className={styles['alike']} key={at}>
            {texts.alike(group)}
          </p>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew as a whole.
          <Line key={at} line={group} />
        ),
      )}
    </section>
  )
}

function Line({ line: { kind, text } }: { readonly line: ComparedLine }) {
  const texts = words.fileEditor.conflict
  const content = text === '' ? ' ' : text
  if (kind === 'same') return <pre className={styles['line']}>{content}</pre>
  const Changed = kind === 'added' ? 'ins' : 'del'
  return (
    <pre className={styles['line']} data-kind={kind}>
      <span className={styles['sign']}>
        <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span>
        <span className="visually-hidden">{texts[kind]}: </span>
      </span>
      <Changed>{content}</Changed>
    </pre>
  )
}

/** Changed lines with what is around them; a number for the equal lines in between. */
function groupsOf(lines: readonly ComparedLine[]): readonly (ComparedLine | number)[] {
  const isNear = (at: number): boolean =>
    lines
      .slice(Math.max(0, at - contextLines), at + contextLines + 1)
      .some(({ kind }) => kind !== 'same')
  const groups: (ComparedLine | number)[] = []
  for (const [at, line] of lines.entries()) {
    const last = groups.at(-1)
    if (isNear(at)) groups.push(line)
    else if (typeof last === 'number') groups[groups.length - 1] = last + 1
    else groups.push(1)
  }
  return groups
}
