import styles from './site-tile.module.css'

/** The first letter of a site's name, in the place of a picture. */
export function SiteTile({ name, isLarge = false }: { name: string; isLarge?: boolean }) {
  return (
    <span aria-hidden="true" className={styles['tile']} data-large={isLarge || undefined}>
      {firstLetter(name)}
    </span>
  )
}

/** A whole one, also of scripts that make it of several code points. */
function firstLetter(name: string): string {
  const text = name.match(/[\p{L}\p{N}].*/su)?.[0] ?? name
  // A segmenter takes long to make, and only other scripts need one.
  if (/^[\da-z](?:$|[\x20-\x7e])/i.test(text)) return text.slice(0, 1).toUpperCase()
  const [first] = new Intl.Segmenter().segment(text)
  return (first?.segment ?? '').toLocaleUpperCase()
}
