import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { parseSitePath } from '#site/path.ts'
import type { SiteFile } from '#web/publish/files/choose-files.ts'
import type { JobResult } from '#web/publish/send/job.ts'
import { BaseChangedError, sendDeploy } from '#web/publish/send/send-deploy.ts'
import { watchJob } from '#web/publish/send/watch-job.ts'
import { ApiError, call } from '#web/server/api.ts'
import { keys } from '#web/server/queries.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { bytesOf, isSame, readContent } from './live-file.ts'

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
  /**
   * Publishes it and offers the way back. True when visitors have it, false when they will in a moment. Throws ApiError,
   * ReadError and what `check` throws.
   */
  readonly publish: (change: SiteChange) => Promise<boolean>
}

/** Names of sites of which a change is being published. */
const changing = new Set<string>()

/**
 * Publishes changes of the site's files, one at a time. What takes a change back leaves all other files as they are by
 * then. `onUndone` is called when one was taken back.
 */
export function useSiteChange(rkey: string, onUndone: () => void = () => undefined): SiteChanges {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    if (changing.has(rkey)) throw new ApiError(null, words.files.busy)
    changing.add(rkey)
    setBusy(true)
    try {
      return await work()
    } finally {
      changing.delete(rkey)
      setBusy(false)
    }
  }
  const publish = (change: SiteChange): Promise<boolean> =>
    alone(async () => {
      const before = await liveVersion(rkey)
      const { live } = await published(rkey, change)
      await refresh(client, rkey)
      const action =
        before === null ? null : { label: words.files.undo, run: () => void undo(change, before) }
      toast(change.done(live), { action })
      return live
    })
  const undo = async (change: SiteChange, before: string): Promise<void> => {
    try {
      await alone(async () => published(rkey, await changeBack(rkey, change, before)))
      await refresh(client, rkey)
      toast(words.files.undone)
      onUndone()
    } catch (error) {
      if (leaveIfSignedOut(error)) return
      const why = problemOf(error)
      toast(words.files.undoFailed(why), { tone: 'danger' })
    }
  }
  return { isBusy, publish }
}

/** What makes the files of a change as they were in the version with the id `before`, unless somebody has changed them since. */
async function changeBack(
  rkey: string,
  { message, remove = [], set = [] }: SiteChange,
  before: string,
): Promise<SiteChange> {
  const made = new Map<string, Blob | null>(remove.map((path) => [path, null]))
  for (const { path, content } of set) made.set(path, content)
  const was = new Map<string, Blob | null>()
  for (const path of made.keys()) was.set(path, await readContent(rkey, path, before))
  const check = async (): Promise<void> => {
    for (const [path, content] of made) {
      const live = await bytesOf(await readContent(rkey, path))
      // The change may not be live yet.
      const known = [await bytesOf(content), await bytesOf(was.get(path) ?? null)]
      if (!known.some((each) => isSame(live, each))) {
        throw new ApiError(409, words.files.changed(path))
      }
    }
  }
  return {
    set: [...was].flatMap(([path, content]) => (content === null ? [] : { path, content })),
    remove: [...was].flatMap(([path, content]) => (content === null ? path : [])),
    message: words.files.messages.undone(message),
    done: () => words.files.undone,
    check,
  }
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
