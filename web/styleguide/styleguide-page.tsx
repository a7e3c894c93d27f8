import { useState } from 'react'
import { Choice } from '#web/parts/controls/choice.tsx'
import { setTheme, storedTheme, themes } from '#web/shell/bar/theme.ts'
import { Page } from '#web/shell/routing/page.tsx'
import { Actions } from './actions.tsx'
import { Feedback } from './feedback.tsx'
import { Fields } from './fields.tsx'
import { Foundations } from './foundations.tsx'
import { Lists } from './lists.tsx'
import styles from './styleguide-page.module.css'

/** `/styleguide`: every part in every state. For developers, so in English only. */
export default function StyleguidePage() {
  const [theme, setShown] = useState(storedTheme)
  const [isRightToLeft, setRightToLeft] = useState(false)
  return (
    <Page title="Styleguide">
      <header className={styles['head']}>
        <h1>Styleguide</h1>
        <div className={styles['row']}>
          {themes.map((each) => (
            <Choice
              checked={each === theme}
              key={each}
              label={each}
              name="theme"
              onChange={() => {
                setShown(each)
                setTheme(each)
              }}
              type="radio"
            />
          ))}
          <Choice
            checked={isRightToLeft}
            label="right to left"
            onChange={({ target }) => setRightToLeft(target.checked)}
            type="checkbox"
          />
        </div>
      </header>
      <div className={styles['guide']} dir={isRightToLeft ? 'rtl' : 'ltr'}>
        <Foundations />
        <Actions />
        <Fields />
        <Feedback />
        <Lists />
      </div>
    </Page>
  )
}
