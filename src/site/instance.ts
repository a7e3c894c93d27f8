/** Who runs this instance, as visitors of its sites may know it. */
export interface SiteHosting {
  readonly name: string
  /** Of `BASE_URL`. */
  readonly origin: string
  /** `mailto:` or https. */
  readonly contact: string | null
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
}

/** How an instance presents itself: on its pages, to account servers, and at the end of our pages on its sites. */
export interface Instance extends SiteHosting {
  /** What the addresses of its sites end with. */
  readonly baseDomain: string
  /** Paragraphs on the front page, below its own text. */
  readonly frontPageText: readonly string[]
  /** At our origin; null: our own mark. */
  readonly logoPath: string | null
  /** Where the source code is that it runs. */
  readonly sourceUrl: string | null
  /** Where it says whether it works. */
  readonly statusUrl: string | null
  /** The service's own version. */
  readonly version: string
  /** Other networks whose sites it serves; left out: none. */
  readonly alsoServe?: readonly string[]
}
