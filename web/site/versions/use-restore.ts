import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { watchJob } from '#web/publish/send/watch-job.ts'
import { call } from '#web/server/api.ts'
import { keys, type Version } from '#web/server/queries.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'

/**
 * Makes another version live. What came of it is said in a notice, also when the page was left; as long as the version
 * that was live is known, it has the way back.
 */
export function useRestore(rkey: string, live: string | null) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)

  const makeLive = async (id: string): Promise<boolean> => {
    setBusy(true)
    try {
      const { jobId } = await call('POST /api/site/:rkey/versions/:id/restore', {
        params: { rkey, id },
        body: {},
      })
      const signal = new AbortController().signal
      await watchJob(jobId, { onUpdate: () => undefined, signal })
      return true
    } catch (error) {
      if (leaveIfSignedOut(error)) return false
      const why = problemOf(error)
      toast(words.versions.restoreFailed(why), { tone: 'danger' })
      return false
    } finally {
      setBusy(false)
      await Promise.all([
        client.invalidateQueries({ queryKey: keys.site(rkey) }),
        client.invalidateQueries({ queryKey: keys.sites }),
      ])
    }
  }

  const undo = async (id: string): Promise<void> => {
    if (await makeLive(id)) toast(words.versions.undone)
  }

  const restore = async ({ id, state }: Version): Promise<void> => {
    if (!(await makeLive(id))) return
    const { promoted, restored, undo: label } = words.versions
    const text = state === 'preview' ? promoted(rkey) : restored(rkey)
    toast(text, { action: live === null ? null : { label, run: () => void undo(live) } })
  }

  return { isBusy, restore, undo }
}
