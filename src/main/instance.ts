import { basename, extname } from 'node:path'
import { makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import { codeOf } from '#observe/code-of.ts'
import { version } from '#package.json'
import type { Instance } from '#site/instance.ts'
import { type Config, ConfigError, UnusableError } from './config/config.ts'

const logoBytesMax = 256 * 1024

/** By extension. */
const logoTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
}

export interface OpenedInstance {
  readonly instance: Instance
  /** Served at `logoPath`. */
  readonly logo: WebAsset | null
}

/** Reads the logo. Throws ConfigError when it cannot be used. */
export async function openInstance({
  alsoServe,
  baseDomain,
  frontPageText,
  hosting,
  logoFile,
  sourceUrl,
  statusUrl,
}: Pick<
  Config,
  'alsoServe' | 'baseDomain' | 'frontPageText' | 'hosting' | 'logoFile' | 'sourceUrl' | 'statusUrl'
>): Promise<OpenedInstance> {
  const logo = logoFile === null ? null : await readLogo(logoFile)
  const logoPath = logoFile === null ? null : `/logo${extname(logoFile)}`
  const networks = alsoServe.length > 0 && { alsoServe: alsoServe.map(({ name }) => name) }
  const texts = { frontPageText, logoPath, sourceUrl, statusUrl, version, ...networks }
  return { instance: { ...hosting, baseDomain, ...texts }, logo }
}

async function readLogo(path: string): Promise<WebAsset> {
  const contentType = logoTypes[extname(path)]
  if (contentType === undefined) {
    const known = Object.keys(logoTypes).join(', ')
    throw new ConfigError(`LOGO_FILE: ${basename(path)} has none of the extensions ${known}`)
  }
  try {
    const file = Bun.file(path)
    const bytes = await file.bytes()
    if (bytes.length <= logoBytesMax) {
      return await makeWebAsset(bytes, { contentType })
    }
  } catch (error) {
    throw new UnusableError(`LOGO_FILE: ${path} cannot be read (${codeOf(error)})`, {
      cause: error,
    })
  }
  throw new ConfigError(`LOGO_FILE: ${path} has over ${logoBytesMax / 1024} KiB`)
}
