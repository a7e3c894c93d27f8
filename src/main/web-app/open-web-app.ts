import { deserialize } from 'node:v8'
import type { Keep } from '#main/build-cache/kept-builds.ts'
import type { WebApp } from './web-app.ts'

/** Bundles the app. A binary has it in a file, made when the binary was built. */
export async function openWebApp(hasStyleguide: boolean, keep: Keep): Promise<WebApp> {
  if (Bun.isStandaloneExecutable) {
    return deserialize(await Bun.file(new URL('./web-app', import.meta.url)).bytes())
  }
  const { buildWebApp } = await import('./build-web-app.ts')
  return await buildWebApp(hasStyleguide, keep)
}
