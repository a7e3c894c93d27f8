import type { LucideIcon } from 'lucide-react'

interface IconProps {
  readonly of: LucideIcon
  readonly size?: 16 | 20
}

/** A drawing beside a word; it has no name of its own. */
export function Icon({ of: Drawing, size = 16 }: IconProps) {
  return <Drawing absoluteStrokeWidth aria-hidden="true" size={size} strokeWidth={1.5} />
}
