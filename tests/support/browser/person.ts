import { eventually } from '#tests/support/eventually.ts'
import type { Tab } from './tab.ts'

/** A file that a person has, by its path from the folder or as a name alone. */
export interface HeldFile {
  readonly path: string
  readonly content: string | Uint8Array
}

/** Somebody who uses a page by what it says: names of controls, labels of fields, sentences. Each step waits for its page. */
export class Person {
  readonly #tab: Tab

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** `name`: the control's whole accessible name, else its beginning. */
  async press(name: string): Promise<void> {
    await eventually(() => this.#tab.click(findControl, 'button, a[href], summary, label', name))
  }

  async fill(label: string, text: string): Promise<void> {
    await eventually(() => this.#tab.type(text, findControl, 'input, textarea', label))
  }

  /** Resolves when the page says this. */
  async sees(text: string): Promise<void> {
    await eventually(async () => {
      // biome-ignore lint/performance/useDomNodeTextContent: what the page shows is the question
      const said = await this.#tab.run(() => document.body.innerText)
      if (!said.includes(text)) throw new Error(`“${text}” is not in: ${said}`)
    })
  }

  /** Where the link of this name leads. */
  async addressOf(link: string): Promise<string> {
    return await eventually(() => this.#tab.run(hrefOf, link))
  }

  /** Drops loose files on the page. Only Firefox has entries that can be read for what a script drops. */
  async drops(...files: readonly HeldFile[]): Promise<void> {
    await this.#tab.run(dropFiles, files.map(inBase64))
  }

  /** Chooses these files in the field of this label; with a slash in a path, those of a folder. */
  async chooses(label: string, ...files: readonly HeldFile[]): Promise<void> {
    await eventually(() => this.#tab.run(chooseFiles, label, files.map(inBase64)))
  }
}

const inBase64 = ({ path, content }: HeldFile): SentFile => ({
  path,
  content: Buffer.from(content).toString('base64'),
})

interface SentFile {
  readonly path: string
  readonly content: string
}

// Functions below run in the page, and cannot share code.

function findControl(selector: string, name: string): Element | null {
  const nameOf = (element: Element): string => {
    const { labels } = element as HTMLInputElement
    const by = element.getAttribute('aria-labelledby')?.split(' ') ?? []
    const named = by.map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
    const said = element.getAttribute('aria-label') ?? labels?.[0]?.textContent
    return (named || said || element.textContent || '').trim()
  }
  const place = document.querySelector('dialog[open]') ?? document
  const shown = [...place.querySelectorAll(selector)].filter((element) => element.checkVisibility())
  const exact = shown.find((element) => nameOf(element) === name)
  return exact ?? shown.find((element) => nameOf(element).startsWith(name)) ?? null
}

function hrefOf(name: string): string {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
  const link = links.find(({ textContent }) => textContent?.trim() === name)
  if (link === undefined) throw new Error(`no link ${name}`)
  return link.href
}

function dropFiles(files: readonly SentFile[]): void {
  const dataTransfer = new DataTransfer()
  for (const { path, content } of files) {
    const bytes = Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))
    dataTransfer.items.add(new File([bytes], path))
  }
  for (const type of ['dragenter', 'dragover', 'drop']) {
    const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer })
    document.body.dispatchEvent(event)
  }
}

/** As the browser does when somebody has chosen: no script can use that dialog, and WebKit’s driver neither. */
function chooseFiles(label: string, files: readonly SentFile[]): void {
  const inputs = [...document.querySelectorAll<HTMLInputElement>('input[type=file]')]
  const input = inputs.find(({ labels }) => labels?.[0]?.textContent?.trim() === label)
  if (input === undefined) throw new Error(`no field ${label}`)
  const chosen = new DataTransfer()
  for (const { path, content } of files) {
    const bytes = Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))
    chosen.items.add(new File([bytes], path.split('/').at(-1) ?? ''))
  }
  input.files = chosen.files
  for (const [at, { path }] of files.entries()) {
    if (!path.includes('/')) continue
    Object.defineProperty(input.files[at], 'webkitRelativePath', { value: path })
  }
  input.dispatchEvent(new Event('change', { bubbles: true }))
}
