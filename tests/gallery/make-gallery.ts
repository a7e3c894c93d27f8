// Writes every state of the app as pictures, with an index of all: `npm run gallery [folder] [parts of names]`.
// With `--readme`, only the picture of the README. Fails when a state does not come, is wider than its window, or axe finds something.

import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { openScene, type Scene } from './scene.ts'
import type { State } from './state.ts'
import { states } from './states.ts'

const widths = [360, 1280] as const
const schemes = ['light', 'dark'] as const
const stateMsMax = 20_000

/** In the README, in the light theme and as wide as a laptop. */
const ofReadme = { name: 'start/dropped', path: 'docs/start-page.png' }

const isReadme = process.argv[2] === '--readme'
const [folder = '.sitehost/gallery', ...parts] = isReadme ? [] : process.argv.slice(2)
await mkdir(folder, { recursive: true })
const scene = await openScene()
const browser = await startBrowser()
const isChosen = ({ name }: State) =>
  isReadme
    ? name === ofReadme.name
    : parts.length === 0 || parts.some((part) => name.includes(part))
const chosen = states.filter(isChosen)
const problems: string[] = []
for (const state of chosen) {
  for (const width of widths) problems.push(...(await picture(state, width, scene, browser)))
}
await browser.close()
await scene[Symbol.asyncDispose]()
await writeFile(join(folder, 'index.html'), indexOf(chosen))
for (const state of isReadme ? chosen : []) {
  await copyFile(join(folder, fileOf(state, 1280, 'light')), ofReadme.path)
}
for (const problem of problems) console.error(problem)
console.log(`${chosen.length} states, ${problems.length} problems: ${join(folder, 'index.html')}`)
// The network that tests share waits for another one to use it.
process.exit(problems.length > 0 ? 1 : 0)

/** Both schemes of a state at one width. Returns what is wrong with it. */
async function picture(
  state: State,
  width: (typeof widths)[number],
  scene: Scene,
  browser: Browser,
): Promise<string[]> {
  const { world, clients } = scene
  const client = clients[state.by]
  const options = { client, viewport: { width, height: 800 }, reducedMotion: 'reduce' as const }
  const { page, problems } = await openPage(browser, world.app, options)
  page.setDefaultTimeout(stateMsMax)
  const found: string[] = []
  const undone: (() => unknown)[] = []
  try {
    await state.show({ ...scene, page, after: (undo) => undone.push(undo) })
    const isWhole = !(await floats(page))
    if (isWhole) await showWhole(page, width)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      found.push(...(await violationsOf(page)).map((violation) => `${colorScheme}: ${violation}`))
      const path = join(folder, fileOf(state, width, colorScheme))
      await page.screenshot({ path, fullPage: isWhole && !(await isLong(page)) })
    }
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
    if (scrollWidth > clientWidth) found.push(`${scrollWidth - clientWidth} px too wide`)
  } catch (error) {
    found.push(String(error).split('\n', 1)[0] ?? '')
  } finally {
    for (const undo of undone) await undo()
    await page.context().close()
  }
  return [...found, ...problems].map((problem) => `${state.name} at ${width}: ${problem}`)
}

/** A dialog or a menu has its place in the window. */
function floats(page: Page): Promise<boolean> {
  return page.evaluate(() => document.querySelector('dialog[open], :popover-open') !== null)
}

/** From its top; what stays at the lower edge of the window is at the lower edge of the page. */
async function showWhole(page: Page, width: number): Promise<void> {
  const height = await page.evaluate(() => {
    scrollTo(0, 0)
    const stays = [...document.querySelectorAll<HTMLElement>('main *, [role="status"] *')].some(
      (each) => {
        const { bottom, position } = getComputedStyle(each)
        return /fixed|sticky/.test(position) && bottom !== 'auto' && each.offsetHeight > 0
      },
    )
    return stays ? document.documentElement.scrollHeight : null
  })
  if (height !== null) await page.setViewportSize({ width, height })
}

/** Such as the API reference, of which the beginning is enough. */
function isLong(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollHeight > 10_000)
}

function fileOf({ name }: State, width: number, scheme: string): string {
  return `${name.replaceAll('/', '-')}-${width}-${scheme}.png`
}

function indexOf(shown: readonly State[]): string {
  const figures = shown.map((state) => {
    const pictures = widths.flatMap((width) =>
      schemes.map((scheme) => {
        const file = fileOf(state, width, scheme)
        return `<a href="${file}"><img loading="lazy" alt="${state.name}, ${width} px, ${scheme}" src="${file}" width="${width / 4}"></a>`
      }),
    )
    return `<section><h2>${state.name}</h2><p>${pictures.join('\n')}</p></section>`
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every state</title>
<style>
  body { font: 15px/1.5 system-ui; margin: 2rem; background: #faf9f6 }
  p { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start }
  img { border: 1px solid #828885 }
</style>
<h1>Every state</h1>
${figures.join('\n')}
</html>
`
}
