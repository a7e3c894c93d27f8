/**
 * True for a browser without the newest features that the app relies on: it keeps what the service has sent. One that has these
 * has all that the app uses unchecked (`tests/baseline.test.ts`).
 */
export const isTooOld = (): boolean =>
  URL.canParse === undefined || HTMLElement.prototype.showPopover === undefined

/** Shows the form that signs in without the app, which is for browsers without scripts, too. */
export function showWithoutScript(): void {
  addEventListener('DOMContentLoaded', () => {
    for (const note of document.querySelectorAll('noscript')) note.outerHTML = note.textContent
  })
}
