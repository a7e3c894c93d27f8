/**
 * The colours and the type of web/tokens.css that pages without a style sheet of the web app use: visitor pages, the API
 * reference, the form for reports.
 */
export const pageTokens = `:root{color-scheme:light dark;
--paper:light-dark(#faf9f6,#0f1413);--surface:light-dark(#ffffff,#161d1b);--sunken:light-dark(#f2f1ec,#1e2624);
--line:light-dark(#e4e2da,#2a3431);--ink:light-dark(#16201d,#e9eeec);--ink-soft:light-dark(#55605c,#a3afab);
--accent:light-dark(#0b6b5d,#63d0b8);--accent-tint:light-dark(#e3f1ed,#14302a)}`
