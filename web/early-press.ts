/** Of the page that the service has drawn, until the app is there: set by the script in the document, read by the app's. */
declare global {
  var takeEarlyPress: (() => HTMLElement | null) | undefined
}

/** Remembers the button that is pressed before the app is there; links and forms work without it. */
export function noteEarlyPress(): void {
  let pressed: HTMLElement | null = null
  const note = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (button?.type !== 'button') return
    // It would open a menu that has nothing in it yet.
    event.preventDefault()
    pressed = button
  }
  addEventListener('click', note)
  globalThis.takeEarlyPress = () => {
    removeEventListener('click', note)
    return pressed
  }
}

/** Presses the button that was pressed before the app was there, if the page still has it. */
export function repeatEarlyPress(): void {
  const pressed = globalThis.takeEarlyPress?.()
  globalThis.takeEarlyPress = undefined
  pressed?.click()
}
