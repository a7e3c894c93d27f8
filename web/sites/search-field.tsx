import { Search } from 'lucide-react'
import { Icon } from '#web/parts/icon.tsx'
import { words } from '#web/words/words.ts'
import styles from './search-field.module.css'

interface SearchFieldProps {
  readonly search: string
  readonly onSearch: (search: string) => void
  /** How many sites match. */
  readonly found: number
}

/** Narrows the list while one types; Escape empties it. */
export function SearchField({ search, onSearch, found }: SearchFieldProps) {
  const { sites } = words
  return (
    <search className={styles['search']}>
      <Icon of={Search} />
      <input
        aria-label={sites.search}
        autoCapitalize="none"
        autoComplete="off"
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onSearch('')}
        placeholder={sites.search}
        spellCheck={false}
        type="search"
        value={search}
      />
      <span className={styles['found']} role="status">
        {search.trim() !== '' && (found === 0 ? sites.noneFound : sites.found(found))}
      </span>
    </search>
  )
}
