import { z } from 'zod'
import { aliasCharsMax, messageGraphemesMax, previewDaysMax, previewMs } from '#site/limits.ts'
import { count } from './rows.ts'

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in lower-case hex')
  .meta({ description: 'SHA-256 of the file as it is on disk, in lower-case hex' })

const fieldsOfDeploy = 'files, base, remove, into, preview, message, source and settings'
const onlyFields = (fields: string): string => `expected only the fields ${fields}`
export const onlyDeployFields = onlyFields(fieldsOfDeploy)
const fieldsError =
  (fields: string) =>
  ({ code }: { readonly code: string }): string | undefined =>
    code === 'unrecognized_keys' ? onlyFields(fields) : undefined

/** What a deploy is to contain. A field that a later version may know is not ignored: it would publish something else. */
export const deployBody = z.strictObject(
  {
    files: z
      .array(z.object({ path: z.string(), sha256, size: count }))
      .describe('The whole site; with `base`, the files to set'),
    base: z
      .string()
      .optional()
      .describe(
        '`live`: change the site as it is now; the commit fails if it changes meanwhile. The id of a version: change that one; it replaces whatever is live',
      )
      .meta({ examples: ['live', '3mkq2vtpdbk2c'] }),
    remove: z
      .array(z.string())
      .optional()
      .describe('With `base`: files and folders to remove, before `files` are set'),
    into: z
      .string()
      .optional()
      .describe(
        'With `base`: this folder becomes exactly `files`, whose paths are relative to it; not with `remove`',
      ),
    preview: z
      .strictObject(
        {
          alias: z
            .string()
            .optional()
            .describe(
              `Its address follows the newest preview with it; 3 to ${aliasCharsMax} of \`a-z 0-9 -\``,
            ),
          expiresAt: z.iso
            .datetime({ offset: true, error: 'expected a time, such as 2030-01-31T12:00:00Z' })
            .optional()
            .describe(
              `Within ${previewDaysMax} days; left out: ${previewMs / 86_400_000} days after the commit`,
            ),
        },
        { error: fieldsError('alias and expiresAt') },
      )
      .optional()
      .describe('Publish a preview: what is live stays as it is'),
    message: z
      .string()
      .optional()
      .describe(`Of the version in the site’s history; up to ${messageGraphemesMax} characters`),
    source: z
      .strictObject({
        repository: z.string().optional(),
        commit: z.string().optional(),
        ref: z.string().optional(),
        url: z.string().optional(),
      })
      .optional()
      .describe('What the version was made of'),
    settings: z
      .unknown()
      .optional()
      .describe(
        'Fields of the site’s settings to set, before those of its `sitehost.json`; others stay',
      ),
  },
  { error: fieldsError(fieldsOfDeploy) },
)
