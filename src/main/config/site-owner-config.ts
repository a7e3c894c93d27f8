import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import type { InstanceSettings } from '#cli/command-context.ts'
import type { SiteLimits } from '#site/limits.ts'
import { siteFilesMax } from '#site/limits.ts'
import { type Environment, parseSettings } from './parse-settings.ts'
import { bytes, flag, httpUrl, wholeNumber } from './setting-kinds.ts'

/** How accounts are found and their servers reached. */
export const networkSettings = {
  PLC_URL: httpUrl.default('https://plc.directory'),
  HANDLE_RESOLVER_URL: httpUrl.optional(),
  ALLOW_PRIVATE_HOSTS: flag.default(false),
}

/** What a site may have. */
export const limitSettings = {
  MAX_FILE_BYTES: bytes.default(100 * 1024 * 1024),
  MAX_SITE_BYTES: bytes.default(300 * 1024 * 1024),
  MAX_SITE_FILES: wholeNumber(`a whole number from 1 to ${siteFilesMax}`, {
    min: 1,
    max: siteFilesMax,
  }).default(siteFilesMax),
}

/** Every setting of the commands for site owners; `docs/command-line.md` describes each. */
export const siteOwnerSettings = z.object({
  ...networkSettings,
  ...limitSettings,
  SITEHOST_HANDLE: z.string().optional(),
  SITEHOST_APP_PASSWORD: z.string().optional(),
  SITEHOST_URL: httpUrl.optional(),
  SITEHOST_TOKEN: z.string().optional(),
  SITEHOST_ACCOUNT: z.string().optional(),
  SITEHOST_ID_TOKEN: z.string().optional(),
  ACTIONS_ID_TOKEN_REQUEST_URL: httpUrl.optional(),
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: z.string().optional(),
  NO_COLOR: z.string().optional(),
  XDG_DATA_HOME: z.string().optional(),
  VISUAL: z.string().optional(),
  EDITOR: z.string().optional(),
})

/** Throws ConfigError. */
export function readSiteOwnerConfig(environment: Environment = process.env) {
  const values = parseSettings(siteOwnerSettings, environment)
  return {
    plcUrl: values.PLC_URL,
    handleResolverUrl: values.HANDLE_RESOLVER_URL,
    allowPrivateHosts: values.ALLOW_PRIVATE_HOSTS,
    limits: limitsOf(values),
    credentials: { handle: values.SITEHOST_HANDLE, appPassword: values.SITEHOST_APP_PASSWORD },
    instance: instanceOf(values),
    accountsFile: join(dataHomeOf(values.XDG_DATA_HOME), 'sitehost/accounts.json'),
    editor: values.VISUAL || values.EDITOR,
    noColour: values.NO_COLOR !== undefined,
  }
}

function instanceOf(values: z.output<typeof siteOwnerSettings>): InstanceSettings {
  const { ACTIONS_ID_TOKEN_REQUEST_TOKEN: token, ACTIONS_ID_TOKEN_REQUEST_URL: url } = values
  return {
    url: values.SITEHOST_URL,
    token: values.SITEHOST_TOKEN,
    idToken: values.SITEHOST_ID_TOKEN,
    idTokenRequest: url === undefined || token === undefined ? null : { url, token },
    owner: values.SITEHOST_ACCOUNT ?? values.SITEHOST_HANDLE,
  }
}

/** XDG Base Directory Specification: a path that is not absolute counts as none. */
const dataHomeOf = (given: string | undefined): string =>
  given !== undefined && isAbsolute(given) ? given : join(homedir(), '.local/share')

export type SiteOwnerConfig = ReturnType<typeof readSiteOwnerConfig>

/** Limits of an upload; ignores the other settings, even invalid ones. Throws ConfigError. */
export const readUploadLimits = (environment: Environment = process.env): SiteLimits =>
  limitsOf(parseSettings(z.object(limitSettings), environment))

const limitsOf = (values: {
  readonly MAX_FILE_BYTES: number
  readonly MAX_SITE_BYTES: number
  readonly MAX_SITE_FILES: number
}): SiteLimits => ({
  fileBytesMax: values.MAX_FILE_BYTES,
  siteBytesMax: values.MAX_SITE_BYTES,
  siteFilesMax: values.MAX_SITE_FILES,
})
