import type { ReactNode } from 'react'
import { locales } from '#site/locales.ts'
import { instance } from '#web/server/instance.ts'
import { TopBar } from '#web/shell/bar/top-bar.tsx'
import { localeNames, setLocale } from '#web/words/locale.ts'
import { words } from '#web/words/words.ts'
import { OfflineStrip } from './connection.tsx'
import styles from './frame.module.css'
import { ToastRegion } from './toast-region.tsx'
import { WindowDrop } from './window-drop.tsx'

interface FrameProps {
  /** Whether the page is the account's: the bar then has its sites and its menu. */
  readonly isOwn: boolean
  readonly children: ReactNode
}

/** What stays while pages come and go. */
export function Frame({ isOwn, children }: FrameProps) {
  return (
    <>
      <a className={styles['skip']} href="#content">
        {words.shell.skip}
      </a>
      <TopBar isOwn={isOwn} />
      <main className={styles['main']} id="content" tabIndex={-1}>
        {children}
      </main>
      <Footer isOwn={isOwn} />
      <ToastRegion />
      <OfflineStrip />
      <WindowDrop />
    </>
  )
}

/** The account's pages have the languages in its menu. */
function Footer({ isOwn }: { readonly isOwn: boolean }) {
  const { contact, privacyUrl, sourceUrl, statusUrl, termsUrl } = instance
  const { shell } = words
  const links: readonly (readonly [href: string | null, text: string])[] = [
    ['/api/docs', shell.docs],
    [sourceUrl, shell.source],
    [statusUrl, shell.status],
    [privacyUrl, shell.privacy],
    [termsUrl, shell.terms],
    [contact, shell.contact],
    ['/report', shell.report],
  ]
  return (
    <footer className={styles['footer']}>
      <nav aria-label={shell.footer}>
        {links.map(
          ([href, text]) =>
            href !== null && (
              <a href={href} key={text}>
                {text}
              </a>
            ),
        )}
        {!isOwn &&
          locales
            .filter((locale) => locale !== words.locale)
            .map((locale) => (
              <button key={locale} lang={locale} onClick={() => setLocale(locale)} type="button">
                {localeNames[locale]}
              </button>
            ))}
      </nav>
    </footer>
  )
}
