import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeJob } from '#web/publish/send/job.ts'
import { watchJob } from '#web/publish/send/watch-job.ts'
import { call } from '#web/server/api.ts'
import { keys, refreshSites } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'

/** Makes a site of a foreign one: its blobs stay where they are, so that it takes a moment whatever its size. */
export function useBringOver() {
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const [progress, setProgress] = useState('')
  const bringOver = async (name: string, wanted: string): Promise<void> => {
    await run(async () => {
      const { jobId, rkey } = await call('POST /api/user/foreign-sites/bring-over', {
        body: { name, rkey: wanted },
      })
      const { signal } = new AbortController()
      await watchJob(jobId, { onUpdate: (job) => setProgress(describeJob(job).text), signal })
      toast(words.foreign.done(rkey))
      await Promise.all([
        refreshSites(client),
        client.invalidateQueries({ queryKey: keys.foreignSites }),
      ])
    })
    setProgress('')
  }
  return { isBusy, problem, progress, bringOver }
}
