import type { WebApp } from './web-app.ts'

/** Bundles the app, as far as that was not done before. */
export async function openWebApp(hasStyleguide: boolean): Promise<WebApp> {
  // The bundler's part is not loaded where nothing is bundled.
  const { buildWebApp } = await import('./build-web-app.ts')
  return await buildWebApp(hasStyleguide)
}
