import { type ReactNode, useLayoutEffect, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { guardLeaving } from './address.ts'

interface Question {
  readonly title: string
  readonly text: string
  readonly discard: string
  readonly stay: string
}

/** While there is something to lose, asks before the page is left; renders what it returns. */
export function useLeaveGuard(isActive: boolean, question: Question): ReactNode {
  // What leaves the page after all, or null while nobody wants to.
  const [leave, setLeave] = useState<(() => void) | null>(null)
  // Before the next click, which may come before the browser has painted.
  useLayoutEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    const unguard = guardLeaving((leaveNow) => {
      setLeave(() => leaveNow)
      return false
    })
    return () => {
      removeEventListener('beforeunload', warn)
      unguard()
    }
  }, [isActive])
  const stay = () => setLeave(null)
  return (
    <Dialog
      actions={
        <>
          <Button look="secondary" onClick={stay}>
            {question.stay}
          </Button>
          <Button
            look="danger"
            onClick={() => {
              stay()
              leave?.()
            }}
          >
            {question.discard}
          </Button>
        </>
      }
      isOpen={leave !== null}
      onClose={stay}
      title={question.title}
    >
      <p>{question.text}</p>
    </Dialog>
  )
}
