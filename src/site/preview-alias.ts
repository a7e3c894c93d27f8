import { aliasCharsMax } from './limits.ts'

/**
 * The alias of a preview, such as `pr-12`: 3 to 35 of `a-z 0-9 -`, no hyphen first, last or doubled. Three at least,
 * so that `<alias>--<label>` is never like `s--…`, `v--…` or `xn--…`. Null for anything else.
 */
export function parsePreviewAlias(input: string): string | null {
  const isShaped = input.length <= aliasCharsMax && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(input)
  return isShaped && input.length >= 3 ? input : null
}
