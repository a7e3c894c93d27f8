import type { LucideIcon } from 'lucide-react'

interface IconProps {
  readonly of: LucideIcon
  readonly size?: 16 | 20
}

/** A decorative drawing next to a word; it has no accessible name. */
export function Icon({ of: Drawing, size = 16 }: IconProps) {
  return <Drawing absoluteStrokeWidth aria-hidden="true" size={size} strokeWidth={1.5} />
}
