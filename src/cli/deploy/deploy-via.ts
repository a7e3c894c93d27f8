import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, NotLiveError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { deployerAt } from '#cli/instance/deployer.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { byteText } from '#site/byte-text.ts'
import type { DeployOptions, DeployPlan } from './deploy-plan.ts'
import type { ReadFolder } from './read-folder.ts'

const sentAtOnce = 4
const pauseMs = 500
const publishingMsMax = 10 * 60_000

const begun = z.object({ deployId: z.string(), missing: z.array(z.string()) })
const state = z.object({
  state: z.string(),
  error: z.string().nullable(),
  result: z
    .object({
      uri: z.string(),
      cid: z.string(),
      fileCount: z.number(),
      url: z.string(),
      live: z.boolean(),
      versionId: z.string().nullable(),
      previewUrl: z.string().nullable(),
      versionProblem: z.string().nullable(),
    })
    .nullable(),
})

type Result = NonNullable<z.output<typeof state>['result']>

/**
 * Publishes by the deploy routes of a Sitehost, which does the work with the sign-in that it has. Throws CommandError, and
 * NotLiveError if visitors do not get it yet.
 */
export async function deployVia(
  origin: string,
  folder: ReadFolder,
  plan: Pick<DeployPlan, 'into' | 'version'>,
  options: DeployOptions,
  context: CommandContext,
): Promise<void> {
  const { console, signal } = context
  const { contents, files, leftOut, settings, site, warnings } = folder
  const { alias, expiresAt } = plan.version.preview ?? {}
  const isPreview = plan.version.preview !== undefined
  const purpose = { site, isPreview }
  await using deployer = await deployerAt(origin, purpose, options, context)
  const { instance } = deployer
  const body = {
    files: files.map(({ bytes, path, sha256 }) => ({ path, sha256, size: bytes })),
    ...(plan.into !== null && { base: 'live', into: plan.into }),
    ...(isPreview && { preview: { ...(alias && { alias }), expiresAt } }),
    ...(plan.version.message && { message: plan.version.message }),
    ...(settings !== null && { settings }),
  }
  const path = `/api/site/${encodeURIComponent(site)}/deploys`
  const { deployId, missing } = await instance.ask({ method: 'POST', path, json: body }, begun)
  const sent = filesOf(missing, files)
  let count = 0
  await mapAtOnce(sent, { atOnce: sentAtOnce, signal }, async (file) => {
    const to = `/api/deploys/${deployId}/files/${file.sha256}`
    const content = await contents.blob(file)
    await instance.ask({ method: 'PUT', path: to, content }, z.unknown())
    count += 1
    console.progress(`Sent ${count} of ${counted(sent.length, 'file')}`)
  })
  const commit = `/api/deploys/${deployId}/commit`
  await instance.ask({ method: 'POST', path: commit, isIdempotent: true }, z.unknown())
  const result = await published(deployId, instance, context)
  if (result.versionProblem !== null) console.warn(result.versionProblem)
  const bytes = sent.reduce((sum, each) => sum + each.bytes, 0)
  const url = result.previewUrl ?? result.url
  if (options.json) {
    const totals = { total: result.fileCount, sent: sent.length }
    const { cid, uri, versionId } = result
    const facts = { site, uri, cid, version: versionId, files: totals, bytesSent: bytes, url }
    console.say(JSON.stringify({ ...facts, live: result.live, leftOut, warnings }))
  } else {
    const what = isPreview ? `a preview of ${site}` : site
    console.say(
      `Published ${what}: ${counted(result.fileCount, 'file')}, ${sent.length} sent (${byteText(bytes)}).`,
    )
    console.say(url)
  }
  if (!result.live) throw new NotLiveError(`It is published, but ${origin} does not show it yet.`)
}

function filesOf(missing: readonly string[], files: readonly UploadedFile[]): UploadedFile[] {
  const byHash = new Map(files.map((file) => [file.sha256, file]))
  return missing.map((sha256) => {
    const file = byHash.get(sha256)
    if (file === undefined) throw new CommandError('The Sitehost asks for a file that is not here.')
    return file
  })
}

async function published(
  deployId: string,
  instance: Instance,
  { signal }: Pick<CommandContext, 'signal'>,
): Promise<Result> {
  const givesUpAt = performance.now() + publishingMsMax
  for (;;) {
    const now = await instance.ask({ method: 'GET', path: `/api/deploys/${deployId}` }, state)
    if (now.state === 'published' && now.result !== null) return now.result
    if (now.state !== 'publishing') throw new CommandError(now.error ?? 'It was not published.')
    if (performance.now() >= givesUpAt) {
      throw new CommandError(`${instance.origin} is still publishing it after ten minutes.`)
    }
    await setTimeout(pauseMs, undefined, { signal })
  }
}
