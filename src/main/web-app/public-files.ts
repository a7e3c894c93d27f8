import { makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import { siteCommandTable } from '#cli/site-program.ts'
import type { BuiltFile } from '#main/build-cache/kept-builds.ts'
import type { OpenedInstance } from '#main/instance.ts'
import type { Instance } from '#site/instance.ts'

/** Of the tokens `--paper` and `--accent`. */
const colours = { background_color: '#faf9f6', theme_color: '#0b6b5d' }

const plainText = 'text/plain; charset=utf-8'

/** Files that browsers and programs look for at fixed paths, for this instance. `now`: when it starts. */
export async function publicFiles(
  { instance, logo }: OpenedInstance,
  pictures: readonly BuiltFile[],
  now: number,
): Promise<[path: string, WebAsset][]> {
  const texts: [path: string, text: string, contentType: string][] = [
    ['/robots.txt', robots, plainText],
    ['/llms.txt', guideOf(instance), 'text/markdown; charset=utf-8'],
    ['/site.webmanifest', manifestOf(instance), 'application/manifest+json'],
  ]
  const { contact } = instance
  if (contact !== null) {
    texts.push([
      '/.well-known/security.txt',
      securityText(instance.origin, contact, now),
      plainText,
    ])
  }
  const files = await Promise.all([
    ...texts.map(async ([path, text, contentType]): Promise<[string, WebAsset]> => {
      return [path, await makeWebAsset(text, { contentType })]
    }),
    ...pictures.map(async ({ bytes, contentType, path }): Promise<[string, WebAsset]> => {
      return [path, await makeWebAsset(bytes, { contentType })]
    }),
  ])
  // An operator's logo is the icon of the service, too.
  return logo === null ? files : [...files, ['/favicon.ico', logo]]
}

/** What the API answers is for nobody to list; its description is. */
const robots = `User-agent: *
Allow: /api/docs
Allow: /api/openapi.json
Disallow: /api/
Disallow: /sitehost/
Disallow: /admin
Disallow: /invitation/
`

function guideOf({ name, origin, contact, termsUrl, privacyUrl }: Instance): string {
  const about: [text: string, url: string | null][] = [
    ['Terms', termsUrl],
    ['Privacy', privacyUrl],
    ['Contact', contact],
  ]
  const links = about.flatMap(([text, url]) => (url === null ? [] : [`- [${text}](${url})`]))
  return `# ${name}

> Publishes and serves static websites that live in their owner's own AT Protocol account: one signed record that lists the files
> (place.sitehost.fs), and one blob per file.

To publish, a person signs in at ${origin}/ with an AT Protocol account, such as one of Bluesky, and drops a folder on the page.

## Command line

From a terminal, a job or a program, the command line publishes straight to the account, with or without this service:

    sitehost login
    sitehost deploy <folder> --site <name>

Results are on standard output, with --json as one object. The exit status is 0 for success, 1 for failure, 2 for a wrong call and 3 for
what is published and not yet live. "sitehost <command> --help" has options and examples. The commands:

${commands}

## HTTP API

A program with a deploy token of one site (Authorization: Bearer shd_…) publishes so: POST /api/site/<name>/deploys with path, SHA-256 and
size of each file; PUT /api/deploys/<id>/files/<sha256> for each content that the answer calls missing; POST
/api/deploys/<id>/commit; then GET /api/deploys/<id> until it is published. A job of GitHub, Forgejo or GitLab gets its token from POST
/api/tokens/exchange.

- [HTTP API](${origin}/api/docs): routes, fields and messages, for people
- [OpenAPI 3.1](${origin}/api/openapi.json): the same for programs
- [Report a site](${origin}/report)
${links.join('\n')}
`
    .trimEnd()
    .concat('\n')
}

const commands = siteCommandTable
  .map(({ description, usage }) => `- sitehost ${usage}: ${description}`)
  .join('\n')

function manifestOf({ name, logoPath }: Instance): string {
  const ours = {
    src: '/icon-512.png',
    sizes: '512x512',
    type: 'image/png',
    purpose: 'any maskable',
  }
  const icon = logoPath === null ? ours : { src: logoPath, sizes: 'any' }
  return JSON.stringify({ name, start_url: '/', display: 'browser', ...colours, icons: [icon] })
}

// RFC 9116 §2.5.5 recommends less than a year. A service that runs for longer is overdue for an update.
const securityTextMs = 360 * 24 * 60 * 60 * 1000

const securityText = (origin: string, contact: string, now: number): string =>
  `Contact: ${contact}
Expires: ${new Date(now + securityTextMs).toISOString()}
Canonical: ${origin}/.well-known/security.txt
`

/** What `npm run pictures` makes, by path. */
const pictureTypes: Readonly<Record<string, string>> = {
  '/favicon.ico': 'image/vnd.microsoft.icon',
  '/apple-touch-icon.png': 'image/png',
  '/icon-512.png': 'image/png',
  '/social-card.png': 'image/png',
}

const picturesDir = new URL('../../../web/pictures/', import.meta.url)

export const readPictures = (): Promise<BuiltFile[]> =>
  Promise.all(
    Object.entries(pictureTypes).map(async ([path, contentType]): Promise<BuiltFile> => {
      const bytes = await Bun.file(new URL(`.${path}`, picturesDir)).bytes()
      return { path, contentType, isEntry: false, bytes }
    }),
  )
