import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { words } from '#web/words/words.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What it copies, for screen readers. */
  readonly what: string
  /** Without the word, for rows. */
  readonly isSmall?: boolean
  readonly look?: 'primary' | 'secondary'
}

/** Puts the text into the clipboard, and says whether that worked. */
export function CopyButton({ text, what, isSmall = false, look = 'secondary' }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const { parts } = words
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  const icon = state === 'copied' ? Check : Copy
  return (
    <>
      {isSmall ? (
        <IconButton icon={icon} label={parts.copyOf(what)} onClick={() => void copy()} />
      ) : (
        <Button aria-label={parts.copyOf(what)} icon={icon} look={look} onClick={() => void copy()}>
          {state === 'copied' ? parts.copied : parts.copy}
        </Button>
      )}
      <span className="visually-hidden" role="status">
        {state === 'copied' && parts.copiedOf(what)}
        {state === 'failed' && parts.copyFailed(what)}
      </span>
    </>
  )
}
