import { useQuery } from '@tanstack/react-query'
import { Check, LogOut, UserRound } from 'lucide-react'
import { useState } from 'react'
import { locales } from '#site/locales.ts'
import { Icon } from '#web/parts/icon.tsx'
import { Menu, MenuButton, MenuGroup, MenuLink } from '#web/parts/overlays/menu.tsx'
import { signOut } from '#web/server/api.ts'
import { userQuery } from '#web/server/queries.ts'
import { leaveAccount } from '#web/server/session.ts'
import { toast } from '#web/shell/toasts.ts'
import { localeNames, setLocale } from '#web/words/locale.ts'
import { words } from '#web/words/words.ts'
import styles from './account-menu.module.css'
import { setTheme, storedTheme, themes } from './theme.ts'

/** Who is signed in; theme, language and the way out. */
export function AccountMenu() {
  const { data: user } = useQuery(userQuery)
  const { shell } = words
  const leave = async () => {
    try {
      await signOut()
    } catch {
      return toast(shell.signOutFailed, { tone: 'danger' })
    }
    await leaveAccount('/')
  }
  return (
    <Menu
      button={
        <span aria-hidden="true" className={styles['letter']}>
          {user?.handle.slice(0, 1)}
        </span>
      }
      buttonClass={styles['opener']}
      label={user === undefined ? shell.yourAccount : shell.accountOf(user.handle)}
    >
      <MenuGroup>
        <p className={styles['handle']}>@{user?.handle}</p>
        <MenuLink href="/account" icon={UserRound}>
          {shell.account}
        </MenuLink>
      </MenuGroup>
      <ThemeChoice />
      <LanguageChoice />
      <MenuGroup>
        <MenuButton icon={LogOut} onClick={() => void leave()}>
          {shell.signOut}
        </MenuButton>
      </MenuGroup>
    </Menu>
  )
}

function ThemeChoice() {
  const [chosen, setChosen] = useState(storedTheme)
  return (
    <MenuGroup label={words.shell.theme}>
      {themes.map((theme) => (
        <Choosable
          isChosen={theme === chosen}
          key={theme}
          name={words.shell.themes[theme]}
          onChoose={() => {
            setChosen(theme)
            setTheme(theme)
          }}
        />
      ))}
    </MenuGroup>
  )
}

function LanguageChoice() {
  return (
    <MenuGroup label={words.shell.language}>
      {locales.map((locale) => (
        <Choosable
          isChosen={locale === words.locale}
          key={locale}
          name={localeNames[locale]}
          onChoose={() => setLocale(locale)}
        />
      ))}
    </MenuGroup>
  )
}

interface ChoosableProps {
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Choosable({ name, isChosen, onChoose }: ChoosableProps) {
  return (
    <MenuButton aria-pressed={isChosen} onClick={onChoose}>
      <span className={styles['choice']}>
        {name}
        {isChosen && <Icon of={Check} />}
      </span>
    </MenuButton>
  )
}
