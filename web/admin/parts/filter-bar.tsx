import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import fieldStyles from '#web/parts/controls/field.module.css'
import { addressWith, goTo, useAddress } from '#web/shell/routing/address.ts'
import { partsWords } from '#web/words/admin/parts.ts'
import styles from './filter-bar.module.css'

const said = partsWords.filterBar

export interface Choices {
  /** The key of the query. */
  readonly name: string
  readonly label: string
  readonly choices: readonly (readonly [value: string, text: string])[]
}

interface FilterBarProps {
  /** What the search looks in; null: no search. */
  readonly searchIn: string | null
  readonly filters?: readonly Choices[]
  readonly children?: ReactNode
}

/** Search and filters. What is chosen is in the address, so that it can be shared and gone back to. */
export function FilterBar({ searchIn, filters = [], children }: FilterBarProps) {
  const { searchParams } = useAddress()
  const search = searchParams.get('search') ?? ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    filterBy('search', String(new FormData(event.currentTarget).get('search') ?? '').trim())
  }
  return (
    <search>
      <form className={styles['bar']} onSubmit={submit}>
        {searchIn !== null && (
          // With the address's words as its key: going back shows those again.
          <SearchField hint={searchIn} key={search} value={search} />
        )}
        {filters.map((filter) => (
          <Filter key={filter.name} {...filter} value={searchParams.get(filter.name) ?? ''} />
        ))}
        {children}
      </form>
    </search>
  )
}

function SearchField({ hint, value }: { hint: string; value: string }) {
  const id = useId()
  return (
    <div className={styles['search']}>
      <label htmlFor={id}>{said.search}</label>
      <div className={styles['line']}>
        <input
          aria-describedby={`${id}-hint`}
          autoCapitalize="none"
          autoCorrect="off"
          className={fieldStyles['control']}
          defaultValue={value}
          id={id}
          name="search"
          spellCheck={false}
          type="search"
        />
        <Button look="secondary" type="submit">
          Search
        </Button>
      </div>
      <p className={styles['hint']} id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

function Filter({ name, label, choices, value }: Choices & { value: string }) {
  const id = useId()
  return (
    <div className={styles['filter']}>
      <label htmlFor={id}>{label}</label>
      <select
        className={fieldStyles['control']}
        id={id}
        onChange={(event) => filterBy(name, event.target.value)}
        value={value}
      >
        <option value="">{said.all}</option>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** From the first page on, with nothing opened. */
function filterBy(name: string, value: string): void {
  goTo(addressWith({ [name]: value, cursor: null, open: null }))
}
