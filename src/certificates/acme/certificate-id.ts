import { X509Certificate } from 'node:crypto'

/** `id-ce-authorityKeyIdentifier`, then perhaps `critical`, an octet string, a sequence, and in it the key's identifier. */
const authorityKeyIdentifier = Buffer.from('0603551d23', 'hex')

/** By which an authority knows a certificate that it issued (RFC 9773 §4.1). Null: the certificate does not name its issuer's key. */
export function certificateId(chain: string): string | null {
  const { raw, serialNumber } = new X509Certificate(chain)
  const extension = raw.indexOf(authorityKeyIdentifier)
  if (extension === -1) return null
  const value = raw.subarray(extension + authorityKeyIdentifier.length)
  const octets = value[0] === 0x01 ? value.subarray(3) : value
  // Short forms only: an identifier is a hash. 04 len 30 len 80 len …
  const [octetString, , sequence, , keyIdentifier, length = 0] = octets
  if (octetString !== 0x04 || sequence !== 0x30 || keyIdentifier !== 0x80) return null
  const identifier = octets.subarray(6, 6 + length)
  return `${identifier.toString('base64url')}.${serialOf(serialNumber).toString('base64url')}`
}

/** As DER writes it: a zero before a first bit that is set. `hex` has whole bytes. */
function serialOf(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes])
}
