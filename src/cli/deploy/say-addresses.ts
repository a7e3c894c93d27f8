import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { type SiteAddresses, siteAddressesAt } from '#cli/instance/site-addresses.ts'
import type { NewVersion } from '#publish/new-version.ts'
import { previewLabel } from '#site/preview-label.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Deployed } from './deploy-files.ts'

interface Result extends Pick<Deployed, 'version'> {
  /** Undefined: what is live. */
  readonly preview: NewVersion['preview'] | undefined
}

type SayContext = Pick<CommandContext, 'console' | 'signal'>

/** A deploy is done without it. */
const answerMsMax = 3_000

/** Says where to look at what was deployed: at a Sitehost, or how to find out. */
export async function sayAddresses(
  site: SiteAddress,
  { preview, version }: Result,
  instance: Instance | null,
  { console, signal }: SayContext,
): Promise<void> {
  const found = instance === null ? null : await knownAddresses(instance, site.name, signal)
  if (preview === undefined) {
    if (found === null) console.note(howToOpen(site.name, instance))
    else console.say(found.best.href)
    return
  }
  const label =
    (preview.alias && previewLabel(preview.alias, found?.claimed ?? siteLabel(site))) ??
    version?.label
  if (label) {
    if (found === null)
      console.note(`A Sitehost that follows your account shows it at ${label}.<its domain>.`)
    else console.say(withLabel(found.permanent, label).href)
  }
  const named = preview.alias ?? version?.key
  if (named) console.note(`Make it live with: sitehost promote ${named} --site ${site.name}`)
}

/** Null: it does not have the site yet, or does not say so. */
async function knownAddresses(
  instance: Instance,
  site: SiteName,
  signal: AbortSignal,
): Promise<SiteAddresses | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)])
  try {
    return await siteAddressesAt(instance, site, inTime)
  } catch (error) {
    signal.throwIfAborted()
    if (inTime.aborted || error instanceof CommandError) return null
    throw error
  }
}

function howToOpen(site: SiteName, instance: Instance | null): string {
  if (instance !== null) {
    return `Its address, once ${new URL(instance.origin).host} has read it: sitehost open ${site}`
  }
  return `Every Sitehost that follows your account serves it. Its address there: sitehost open ${site} --instance https://<a Sitehost>`
}

/** The host of another label below the same domain. */
function withLabel(permanent: URL, label: string): URL {
  const url = new URL(permanent)
  url.hostname = url.hostname.replace(/^[^.]+/, label)
  return url
}
