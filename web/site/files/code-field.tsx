import { useEffect, useMemo, useRef } from 'react'
import styles from './file-editor.module.css'

interface CodeFieldProps {
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A text field with line numbers. Lines do not wrap, and Tab moves to the next control. */
export function CodeField({ label, text, onChange }: CodeFieldProps) {
  const gutter = useRef<HTMLPreElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const lines = text.split('\n').length
  const numbers = useMemo(
    () => Array.from({ length: lines }, (_, at) => at + 1).join('\n'),
    [lines],
  )
  const follow = (): void => {
    if (gutter.current !== null) gutter.current.scrollTop = field.current?.scrollTop ?? 0
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: new numbers move the gutter.
  useEffect(follow, [numbers])
  return (
    <div className={styles['code']}>
      <pre aria-hidden="true" className={styles['gutter']} ref={gutter}>
        {numbers}
      </pre>
      <textarea
        aria-label={label}
        autoCapitalize="none"
        autoComplete="off"
        autoCorrect="off"
        className={styles['text']}
        onChange={({ target }) => onChange(target.value)}
        onScroll={follow}
        ref={field}
        spellCheck={false}
        value={text}
        wrap="off"
      />
    </div>
  )
}
