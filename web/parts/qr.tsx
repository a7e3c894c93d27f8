import { encode } from 'uqr'
import { words } from '#web/words/words.ts'
import styles from './qr.module.css'

/** An address for the camera of a phone: dark on light in both themes, as readers want it. */
export function Qr({ address }: { address: string }) {
  const { data, size } = encode(address, { border: 2, ecc: 'M' })
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg
      aria-label={words.parts.qr(address)}
      className={styles['qr']}
      role="img"
      viewBox={`0 0 ${size} ${size}`}
    >
      <path d={squares.join('')} shapeRendering="crispEdges" />
    </svg>
  )
}
