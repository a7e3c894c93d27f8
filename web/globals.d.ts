declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module '*.min.css' {}

/** Whether the bundle has the page `/styleguide`: only that of a service that reloads it. */
declare const HAS_STYLEGUIDE: boolean
