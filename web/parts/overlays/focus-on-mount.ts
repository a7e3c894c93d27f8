/**
 * As a `ref`: takes the focus when a step appears whose predecessor held the pressed button; without it
 * keyboard and screen reader users would be back at the top of the page. Who has gone elsewhere on the page
 * meanwhile stays there.
 */
export function focusOnMount(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus()
}
