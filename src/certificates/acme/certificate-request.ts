import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** A new P-256 key, in PEM (PKCS #8). */
export function newKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey
}

/**
 * A certificate signing request for these DNS names, in DER (RFC 2986), signed with a P-256 key in PEM. The subject is empty: authorities take
 * names from the extension.
 */
export function certificateRequest(names: readonly string[], key: string): Uint8Array {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const alternatives = sequence(...names.map((name) => tagged(0x82, Buffer.from(name, 'ascii'))))
  const extensions = sequence(sequence(subjectAltName, tagged(octetString, alternatives)))
  const attribute = sequence(extensionRequest, tagged(set, extensions))
  const info = sequence(version1, sequence(), publicKey, tagged(context0, attribute))
  const signature = sign('sha256', info, key)
  return sequence(info, sequence(ecdsaWithSha256), tagged(bitString, Buffer.of(0), signature))
}

const octetString = 0x04
const bitString = 0x03
const set = 0x31
const context0 = 0xa0
const version1 = Buffer.from([0x02, 1, 0])
/** 2.5.29.17, 1.2.840.113549.1.9.14, 1.2.840.10045.4.3.2. */
const subjectAltName = Buffer.from('0603551d11', 'hex')
const extensionRequest = Buffer.from('06092a864886f70d01090e', 'hex')
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex')

const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts)

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

/** X.690 §8.1.3. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff)
}
