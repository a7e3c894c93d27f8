const gap = 6
const margin = 8

/** Puts a popover below its button, or above it in the lower third of the window. */
export function placeBelow(
  opener: HTMLElement | null,
  popover: HTMLElement | null,
  align: 'start' | 'end',
): void {
  if (opener === null || popover === null) return
  const { top, bottom, left, right } = opener.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const isLow = bottom > (clientHeight * 2) / 3
  const px = (length: number): string => `${Math.max(margin, Math.round(length))}px`
  const { style } = popover
  style.setProperty('top', isLow ? 'auto' : px(bottom + gap))
  style.setProperty('bottom', isLow ? px(clientHeight - top + gap) : 'auto')
  style.setProperty('left', align === 'start' ? px(left) : 'auto')
  style.setProperty('right', align === 'end' ? px(clientWidth - right) : 'auto')
}
