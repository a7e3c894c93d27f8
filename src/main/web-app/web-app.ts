import type { CodedBytes } from '#api/web-asset.ts'
import type { BuiltFile } from '#main/build-cache/kept-builds.ts'
import type { Locale } from '#site/locales.ts'

/** The web app as the bundler makes it, before it is an instance's: plain data. */
export interface WebApp {
  /** Of which each document of the app is made. */
  readonly shell: BuiltFile
  /** Shows the chosen theme before anything is painted. */
  readonly theme: string
  /** The one style sheet of all pages, which is in each document. */
  readonly style: string
  /** Draws the start page. */
  readonly prerender: string
  readonly documents: readonly DocumentOfApp[]
  /** For all pages of the administrator's area. */
  readonly admin: BuiltFile
  /** Scripts, style sheets and fonts, whose names change with their content. */
  readonly files: readonly FileOfApp[]
  /** At paths that browsers and programs know. */
  readonly pictures: readonly BuiltFile[]
}

export interface FileOfApp extends BuiltFile {
  /** Without it, the service compresses the file. */
  readonly coded?: CodedBytes | undefined
}

/** A page in a language. */
export interface DocumentOfApp {
  /** The page's pattern in `web/routes.ts`. */
  readonly pattern: string
  readonly locale: Locale
  /** Of an account. */
  readonly isOwn: boolean
  /** Addresses of what it needs, perhaps besides what every document has. */
  readonly scripts: readonly string[]
}
