/**
 * Draws the app over the page that the server has sent, without losing what somebody has typed or chosen there before the
 * script had arrived.
 */
export function keepInput(root: HTMLElement, draw: () => void): void {
  const before = handleIn(root)
  const hadFocus = before !== null && document.activeElement === before
  const chosen = fileInputsIn(root).map(({ files }) => files)
  draw()
  for (const [at, input] of fileInputsIn(root).entries()) {
    const files = chosen[at] ?? null
    if (files === null || files.length === 0) continue
    input.files = files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  }
  const field = handleIn(root)
  if (before === null || field === null) return
  if (before.value !== '') {
    // React notices what the prototype's setter sets.
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
    set?.call(field, before.value)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  if (hadFocus) field.focus()
}

const handleIn = (root: HTMLElement) => root.querySelector<HTMLInputElement>('input[name="handle"]')

/** In the same order on both pages: for a folder, and for files. */
const fileInputsIn = (root: HTMLElement): HTMLInputElement[] => [
  ...root.querySelectorAll<HTMLInputElement>('input[type="file"]'),
]
