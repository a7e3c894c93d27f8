import { previewLabel } from '#site/preview-label.ts'
import { type EdgeContext, notAnswered, serveSite } from './edge.ts'
import type { Hosts } from './names/hosts.ts'
import type { Previews } from './names/previews.ts'
import type { PreviewHost } from './names/route.ts'

interface PreviewContext extends EdgeContext {
  readonly hosts: Pick<Hosts, 'get'>
  readonly previews: Pick<Previews, 'get'>
}

/** As `serveSite`, at `<alias>--<name>.{base_domain}`: the newest preview with that alias of the site that has the name. */
export async function servePreview(
  preview: PreviewHost,
  request: Request,
  context: PreviewContext,
): Promise<Response> {
  try {
    return await answerPreview(preview, request, context)
  } catch (error) {
    return notAnswered(preview.host, error, context)
  }
}

async function answerPreview(
  preview: PreviewHost,
  request: Request,
  context: PreviewContext,
): Promise<Response> {
  const { alias, name } = preview
  const siteLabel = await labelOfSite(name, context)
  if (siteLabel === undefined) return context.pages.unclaimed()
  const ofSite = await context.previews.get(siteLabel)
  const found = ofSite?.find(alias, context.now()) ?? null
  if (found !== null && found !== 'expired') {
    const { label } = found
    return await serveSite({ ...preview, kind: 'site', label, shows: 'preview' }, request, context)
  }
  const takedown = await context.takedowns.get(siteLabel)
  if (takedown !== null) return context.pages.takenDown(takedown)
  if (ofSite !== null && found === 'expired') return context.pages.gone(ofSite.origin)
  const origin = await context.gone.get(previewLabel(alias, siteLabel) ?? '')
  return origin === null ? context.pages.notFound() : context.pages.gone(origin)
}

async function labelOfSite(name: string, { hosts }: PreviewContext): Promise<string | undefined> {
  return name.includes('.') ? (await hosts.get(name))?.label : name
}
