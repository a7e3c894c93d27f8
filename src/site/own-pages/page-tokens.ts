/**
 * The colours of web/tokens.css that pages without a style sheet of the web app use: visitor pages, the API reference, the
 * form for reports.
 */
export const pageTokens = `:root{color-scheme:light dark;
--paper:light-dark(#faf9f6,#0f1413);--surface:light-dark(#ffffff,#161d1b);--sunken:light-dark(#f2f1ec,#1e2624);
--line:light-dark(#e4e2da,#2a3431);--ink:light-dark(#16201d,#e9eeec);--ink-soft:light-dark(#55605c,#a3afab);
--accent:light-dark(#0b6b5d,#63d0b8);--accent-tint:light-dark(#e3f1ed,#14302a)}`

/** What forms need on top of them. */
export const formTokens = `:root{--edge:light-dark(#828885,#6f7b77);--on-accent:light-dark(#ffffff,#06241e);
--danger:light-dark(#b3261e,#ff8a80);--danger-tint:light-dark(#fdecea,#3a1916)}`

/** The fonts of the web app, at the application's own origin. */
export const fontPaths = {
  text: '/fonts/geist-5.3.0.woff2',
  mono: '/fonts/geist-mono-5.3.0.woff2',
} as const
