/**
 * Draws the app over the page that the server has sent, without losing the handle that somebody has typed there before the
 * script had arrived.
 */
export function keepTyped(root: HTMLElement, draw: () => void): void {
  const before = handleIn(root)
  const hadFocus = before !== null && document.activeElement === before
  draw()
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
