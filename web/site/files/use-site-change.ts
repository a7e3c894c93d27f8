import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { parseSitePath } from '#site/path.ts'
import type { SiteFile } from '#web/publish/files/choose-files.ts'
import type { JobResult } from '#web/publish/send/job.ts'
import { BaseChangedError, sendDeploy } from '#web/publish/send/send-deploy.ts'
import { watchJob } from '#web/publish/send/watch-job.ts'
import { ApiError, call } from '#web/server/api.ts'
import { keys } from '#web/server/queries.ts'
import { toast } from '#web/shell/toasts.ts'
import { useRestore } from '#web/site/versions/use-restore.ts'
import { words } from '#web/words/words.ts'

/** A change of a few files of the live version. */
export interface SiteChange {
  readonly set?: readonly { readonly path: string; readonly content: Blob }[]
  readonly remove?: readonly string[]
  /** Of the version in the site's history. */
  readonly message: string
  /** What is said when visitors have it, or will in a moment. */
  readonly done: (isLive: boolean) => string
  /** Throws what ends the change, when the live version is known that it is made on. */
  readonly check?: () => Promise<void>
}

interface SiteChanges {
  readonly isBusy: boolean
  /** Publishes it and offers the way back. Throws ApiError, ReadError and what `check` throws. */
  readonly publish: (change: SiteChange) => Promise<void>
}

/** Publishes changes of the site's files, one at a time. `onUndone` is called when one was taken back. */
export function useSiteChange(rkey: string, onUndone: () => void = () => undefined): SiteChanges {
  const client = useQueryClient()
  const { undo } = useRestore(rkey, null)
  const [isBusy, setBusy] = useState(false)
  const publish = async (change: SiteChange): Promise<void> => {
    setBusy(true)
    try {
      const before = await liveVersion(rkey)
      const { live } = await published(rkey, change)
      await refresh(client, rkey)
      const run = (id: string): void => void undo(id).then(onUndone)
      const action = before === null ? null : { label: words.files.undo, run: () => run(before) }
      toast(change.done(live), { action })
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, publish }
}

const refresh = (client: QueryClient, rkey: string) =>
  Promise.all([
    client.invalidateQueries({ queryKey: keys.site(rkey) }),
    client.invalidateQueries({ queryKey: keys.sites }),
  ])

/** Id of the version that is live; null: not known, or it has none. */
async function liveVersion(rkey: string): Promise<string | null> {
  try {
    const { versions } = await call('GET /api/site/:rkey/versions', { params: { rkey } })
    return versions.find(({ state }) => state === 'live')?.id ?? null
  } catch (error) {
    // Without the history there is no way back; the change is possible all the same.
    if (error instanceof ApiError && error.status !== 401) return null
    throw error
  }
}

/** Another deploy may win the race for the commit. */
const attemptsMax = 3

async function published(rkey: string, change: SiteChange): Promise<JobResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await publishOnce(rkey, change)
    } catch (error) {
      if (!(error instanceof BaseChangedError) || attempt === attemptsMax) throw error
    }
  }
}

async function publishOnce(
  rkey: string,
  { check, message, remove, set = [] }: SiteChange,
): Promise<JobResult> {
  const { signal } = new AbortController()
  let begun: string | null = null
  const onBegun = async (deployId: string): Promise<void> => {
    begun = deployId
    await check?.()
  }
  const quietly = { onRead: nothing, onSend: nothing, onWait: nothing }
  const request = {
    ...{ siteName: rkey, base: 'live', message: message.slice(0, messageCharsMax) },
    files: set.map(fileOf),
    ...(remove !== undefined && { remove: [...remove] }),
  }
  try {
    const jobId = await sendDeploy(request, { ...quietly, onBegun, signal })
    return await watchJob(jobId, { onUpdate: nothing, signal })
  } catch (error) {
    // What is not committed would count as an open deploy for a day.
    if (begun !== null)
      await call('DELETE /api/deploys/:id', { params: { id: begun } }).catch(nothing)
    throw error
  }
}

const nothing = (): void => undefined

const messageCharsMax = 300

function fileOf({ path, content }: { readonly path: string; readonly content: Blob }): SiteFile {
  const sitePath = parseSitePath(path)
  if (sitePath === null) throw new ApiError(null, words.files.badPath)
  return { path: sitePath, bytes: content.size, problem: null, open: async () => content }
}
