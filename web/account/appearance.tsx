import { useState } from 'react'
import { locales } from '#site/locales.ts'
import { Select } from '#web/parts/controls/select.tsx'
import { setTheme, storedTheme, themes } from '#web/shell/bar/theme.ts'
import { localeNames, setLocale } from '#web/words/locale.ts'
import { words } from '#web/words/words.ts'
import styles from './account-page.module.css'
import { Section } from './section.tsx'

/** How this browser shows the app. It counts at once. */
export function Appearance() {
  const { account, shell } = words
  const [chosen, setChosen] = useState(storedTheme)
  return (
    <Section title={account.appearance.title}>
      <p className={styles['text']}>{account.appearance.text}</p>
      <div className={styles['choices']}>
        <Select
          choices={themes.map((value) => ({ value, name: shell.themes[value] }))}
          label={shell.theme}
          onChange={({ target }) => {
            const theme = themes.find((each) => each === target.value) ?? 'system'
            setChosen(theme)
            setTheme(theme)
          }}
          value={chosen}
        />
        <Select
          choices={locales.map((value) => ({ value, name: localeNames[value] }))}
          label={shell.language}
          onChange={({ target }) =>
            setLocale(locales.find((each) => each === target.value) ?? 'en')
          }
          value={words.locale}
        />
      </div>
    </Section>
  )
}
