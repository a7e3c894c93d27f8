import { adminPage, documentKey } from '#api/app-pages.ts'
import {
  type CodedBytes,
  codedText,
  type DrawOwnPage,
  isText,
  makeWebAsset,
  type WebAsset,
} from '#api/web-asset.ts'
import { hashOf, type Keep, keptResults } from '#main/build-cache/kept-builds.ts'
import type { OpenedInstance } from '#main/instance.ts'
import type { Instance } from '#site/instance.ts'
import type { Locale } from '#site/locales.ts'
import { sections } from '#web/admin/sections.ts'
import { pageOf, withLoads, withOwnPage, withStart, withStyle } from './document-html.ts'
import { openWebApp } from './open-web-app.ts'
import { pageDrawer, prerenderStart } from './prerender.ts'
import { publicFiles } from './public-files.ts'
import type { FileOfApp, WebApp } from './web-app.ts'

const adminPages = [adminPage, ...sections.map(({ href }) => href)]

interface AssetOptions {
  /** With the page `/styleguide`. */
  readonly hasStyleguide?: boolean
  /** Compresses each file for its first request: to compress all takes four seconds of processor time. */
  readonly isCodedLater?: boolean
}

/** The web app's files in memory, for this instance, compressed unless that is for later. Throws the bundler's errors. */
export async function openWebAssets(
  opened: OpenedInstance,
  { hasStyleguide = false, isCodedLater = false }: AssetOptions = {},
): Promise<Map<string, WebAsset>> {
  const { instance, logo } = opened
  // A binary has no sources, by which results are kept.
  const keep: Keep = Bun.isStandaloneExecutable ? (_, make) => make() : keptResults()
  const app = await openWebApp(hasStyleguide, keep)
  const starts = await startsOf(app.prerender, instance, keep)
  const fileOf = async ({ bytes, path, ...kind }: FileOfApp): Promise<Made> => [
    path,
    await makeWebAsset(bytes, { ...kind, isCodedLater, isImmutable: true }),
  ]
  const appFiles = isCodedLater ? app.files : await codedFiles(app, keep)
  const [files, documents, admin, others] = await Promise.all([
    Promise.all(appFiles.map(fileOf)),
    documentsOf(app, starts, instance, isCodedLater ? null : keep),
    makeWebAsset(pageOf(app.admin, instance), { ...app.admin, isCodedLater }),
    publicFiles(opened, app.pictures, Date.now()),
  ])
  const adminDocuments = adminPages.map((path): Made => [path, admin])
  const assets = new Map([...files, ...documents, ...adminDocuments, ...others])
  if (logo !== null && instance.logoPath !== null) assets.set(instance.logoPath, logo)
  return assets
}

type Contents = readonly (string | Uint8Array)[]

/** Kept, and not made at each start. */
const keptCodings = (keep: Keep, contents: Contents): Promise<CodedBytes[]> =>
  keep(`compressed: ${hashOf(...contents)}`, () => Promise.all(contents.map(codedText)))

async function codedFiles({ files }: WebApp, keep: Keep): Promise<FileOfApp[]> {
  const uncoded = files.filter((file) => file.coded === undefined && isText(file.contentType))
  const codings = await keptCodings(
    keep,
    uncoded.map(({ bytes }) => bytes),
  )
  const codedOf = new Map(uncoded.map(({ path }, index) => [path, codings[index]]))
  return files.map((file) => ({ ...file, coded: file.coded ?? codedOf.get(file.path) }))
}

type Made = [path: string, WebAsset]

/** A document of each page in each language, which says what the page needs. */
async function documentsOf(
  { documents, prerender, shell, style, theme }: WebApp,
  starts: ReadonlyMap<Locale, string>,
  instance: Instance,
  keep: Keep | null,
): Promise<Made[]> {
  const { contentType } = shell
  const html = withStyle(pageOf(shell, instance), style)
  const drawPage = pageDrawer(prerender)
  const contents = documents.map((page) => {
    const start = page.pattern === '/' ? starts.get(page.locale) : undefined
    const loading = withLoads(html, theme, page)
    return start === undefined ? loading : withStart(loading, start)
  })
  const codings = keep === null ? null : await keptCodings(keep, contents)
  return await Promise.all(
    documents.map(async ({ isOwn, locale, pattern }, index): Promise<Made> => {
      const document = await makeWebAsset(contents[index] ?? '', {
        ...{ contentType, inlineScript: theme, inlineStyle: style },
        ...{ coded: codings?.[index], isCodedLater: codings === null },
      })
      const draw: DrawOwnPage = async ({ answers, path }) => {
        const drawn = await drawPage({ instance, locale, path, answers })
        return withOwnPage(await document.body.text(), drawn, answers)
      }
      return [documentKey(pattern, locale), isOwn ? { ...document, draw } : document]
    }),
  )
}

/** Empty if it cannot be drawn: the app draws it then. */
async function startsOf(
  script: string,
  instance: Instance,
  keep: Keep,
): Promise<ReadonlyMap<Locale, string>> {
  try {
    return await prerenderStart(script, instance, keep)
  } catch (error) {
    console.error(error)
    return new Map()
  }
}

/** Development only: bundles `web/` again when it changes; keeps the last bundle if that fails. */
export async function reloadWebAssets(assets: Map<string, unknown>, opened: OpenedInstance) {
  const { watchWebApp } = await import('./build-web-app.ts')
  return watchWebApp(() => {
    void openWebAssets(opened, { hasStyleguide: true, isCodedLater: true }).then(
      (fresh) => {
        assets.clear()
        for (const [path, asset] of fresh) assets.set(path, asset)
      },
      (error) => console.error(error),
    )
  })
}
