/**
 * Has the app take over the page that the service has sent, without losing what somebody has typed, chosen or pressed there
 * before the script had arrived.
 */
export function keepInput(root: HTMLElement, takeOver: () => void): void {
  const typed = fieldsIn(root).map(({ value }) => value)
  const focused = fieldsIn(root).indexOf(document.activeElement as HTMLInputElement)
  const chosen = fileInputsIn(root).map(({ files }) => files)
  // What React finds in a field is no change to it.
  for (const field of fieldsIn(root)) if (field.value !== '') setValue(field, '')
  takeOver()
  for (const [at, input] of fileInputsIn(root).entries()) {
    const files = chosen[at] ?? null
    if (files === null || files.length === 0) continue
    input.files = files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  }
  for (const [at, field] of fieldsIn(root).entries()) {
    const value = typed[at] ?? ''
    if (value !== '') {
      // React takes over a part of the page with the first event in it, at the latest.
      for (const text of ['', value]) {
        setValue(field, text)
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }
    if (at === focused && document.activeElement !== field) field.focus()
  }
}

/** By the prototype's setter, which React notices. */
function setValue(field: HTMLInputElement, value: string): void {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
  set?.call(field, value)
}

/** In the same order on both pages: a handle, and what sites are searched for. */
const fieldsIn = (root: HTMLElement): HTMLInputElement[] => [
  ...root.querySelectorAll<HTMLInputElement>('input[name="handle"], input[type="search"]'),
]

/** For a folder, and for files. */
const fileInputsIn = (root: HTMLElement): HTMLInputElement[] => [
  ...root.querySelectorAll<HTMLInputElement>('input[type="file"]'),
]
