/**
 * As a `ref`: takes the focus when a step appears whose predecessor held the pressed button; without it
 * keyboard and screen reader users would be back at the top of the page.
 */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
