/** The `code` of an error of the system, a database or a library, such as `ENOENT`; `undefined` for any other value. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
