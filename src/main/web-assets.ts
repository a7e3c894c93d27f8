import { watch } from 'node:fs'
import { join } from 'node:path'
import { adminPage } from '#api/app-pages.ts'
import { makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import type { Instance } from '#site/instance.ts'
import { sections } from '#web/admin/sections.ts'
import type { OpenedInstance } from './instance.ts'

const webDir = new URL('../../web', import.meta.url).pathname

const adminPages = [adminPage, ...sections.map(({ href }) => href)]

/**
 * Bundles `web/` into memory and compresses it, for this instance: the app, and by itself the administrator's area, of which visitors of the
 * app load nothing. Throws the bundler's errors.
 */
export async function bundleWebAssets(opened: OpenedInstance): Promise<Map<string, WebAsset>> {
  const { instance, logo } = opened
  const [app, admin] = await Promise.all([
    bundle('index.html', ['/'], instance),
    bundle('admin/index.html', adminPages, instance),
  ])
  const assets = new Map([...app, ...admin])
  if (logo !== null && instance.logoPath !== null) assets.set(instance.logoPath, logo)
  return assets
}

/** What one document needs; the document itself at each of `paths`. */
async function bundle(document: string, paths: readonly string[], instance: Instance) {
  const { outputs } = await Bun.build({
    entrypoints: [join(webDir, document)],
    target: 'browser',
    minify: true,
    splitting: true,
    sourcemap: 'none',
    publicPath: '/',
    env: 'disable',
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const made = outputs.map(async (output): Promise<[string, WebAsset][]> => {
    const { path, type: contentType } = output
    if (path.endsWith('.html')) {
      const html = pageOf(await output.text(), instance)
      const page = await makeWebAsset(html, { contentType })
      return paths.map((at) => [at, page])
    }
    const bytes = new Uint8Array(await output.arrayBuffer())
    return [
      [path.replace(/^\./, ''), await makeWebAsset(bytes, { contentType, isImmutable: true })],
    ]
  })
  return (await Promise.all(made)).flat()
}

/** The document with the instance in it: its name, and all of it for the script (`web/server/instance.ts`). */
function pageOf(html: string, instance: Instance): string {
  // HTMLRewriter escapes only the quotes of an attribute's value (Bun 1.4.5).
  const data = JSON.stringify(instance).replace(/[<>&]/g, jsonEscape)
  return new HTMLRewriter()
    .on('title', { element: (title) => void title.setInnerContent(instance.name) })
    .on('meta[name=instance]', { element: (meta) => void meta.setAttribute('content', data) })
    .transform(html)
}

const jsonEscape = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Development only: bundles `web/` again when it changes; keeps the last bundle if that fails. */
export function reloadWebAssets(assets: Map<string, unknown>, opened: OpenedInstance) {
  return watch(webDir, { recursive: true }, () => {
    void bundleWebAssets(opened).then(
      (fresh) => {
        assets.clear()
        for (const [path, asset] of fresh) assets.set(path, asset)
      },
      (error) => console.error(error),
    )
  })
}
