import { useState } from 'react'
import { Button } from './button.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What it copies, for screen readers. */
  readonly what: string
}

/** Puts the text into the clipboard, and says whether that worked. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  return (
    <>
      <Button aria-label={`Copy ${what}`} look="quiet" onClick={() => void copy()}>
        {state === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <span className="visually-hidden" role="status">
        {state === 'copied' && `${what} copied`}
        {state === 'failed' && `${what} could not be copied. Select it and copy it yourself.`}
      </span>
    </>
  )
}
