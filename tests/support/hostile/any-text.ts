import fc from 'fast-check'

/** Surrogates are no characters. */
const [surrogate, surrogates] = [0xd800, 0x800]

/** As `fc.string({ unit: 'binary' })`, which first fills a table of a million characters, for most of a second. */
const anyCharacter = fc.nat(0x10_ffff - surrogates).map(
  (n) => String.fromCodePoint(n < surrogate ? n : n + surrogates),
  (value) => {
    const point = typeof value === 'string' ? value.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== value)
      throw new TypeError('no character')
    return point < surrogate ? point : point - surrogates
  },
)

/** Any Unicode text. */
export const anyText = (lengths: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...lengths, unit: anyCharacter })
