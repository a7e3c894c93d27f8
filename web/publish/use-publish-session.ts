import { useEffect, useSyncExternalStore } from 'react'
import { publishSession, type SessionState } from './publish-session.ts'

/** What is chosen and published in this tab. Asks before the document is left while files are sent that are not kept. */
export function usePublishSession(): SessionState {
  const state = useSyncExternalStore(subscribe, read, read)
  const { stage } = state.publish
  useLeaveWarning((stage === 'reading' || stage === 'sending') && state.kept !== 'kept')
  return state
}

const subscribe = (listener: () => void) => publishSession.subscribe(listener)
const read = () => publishSession.state

function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isActive])
}
