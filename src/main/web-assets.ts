import { watch } from 'node:fs'
import { join } from 'node:path'
import type { WebAsset } from '#api/app.ts'

const webDir = new URL('../../web', import.meta.url).pathname

/** The pages of the web app share one document, which reads its own address. */
const pages = ['/', '/onboarding', '/editor', '/names', '/account']

/** Bundles `web/` into memory. Throws the bundler's errors. */
export async function bundleWebAssets(): Promise<Map<string, WebAsset>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(webDir, 'index.html')],
    target: 'browser',
    minify: true,
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
  const assets = new Map<string, WebAsset>()
  for (const output of outputs) {
    const body = new Blob([await output.arrayBuffer()], { type: output.type })
    const asset = { body, contentType: output.type }
    if (output.path.endsWith('.html')) {
      for (const page of pages) assets.set(page, { ...asset, isImmutable: false })
    } else {
      assets.set(output.path.replace(/^\./, ''), { ...asset, isImmutable: true })
    }
  }
  return assets
}

/** Development only: bundles `web/` again when it changes; keeps the last bundle if that fails. */
export function reloadWebAssets(assets: Map<string, unknown>) {
  return watch(webDir, () => {
    void bundleWebAssets().then(
      (fresh) => {
        assets.clear()
        for (const [path, asset] of fresh) assets.set(path, asset)
      },
      (error) => console.error(error),
    )
  })
}
