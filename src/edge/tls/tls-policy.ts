/** Only with forward secrecy and authenticated encryption; TLS 1.3 has no others (RFC 9325 §4.2). */
const ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Without SHA-1, with which BoringSSL signs for a client of TLS 1.2 that offers nothing else (RFC 9155). */
const sigalgs = [
  'ECDSA+SHA256',
  'RSA-PSS+SHA256',
  'RSA+SHA256',
  'ed25519',
  'ECDSA+SHA384',
  'RSA-PSS+SHA384',
  'RSA+SHA384',
  'ECDSA+SHA512',
  'RSA-PSS+SHA512',
  'RSA+SHA512',
].join(':')

/** For the listener and for every context: the context that a name chooses replaces what the listener has (Bun 1.4.5). */
export const tlsPolicy = {
  minVersion: 'TLSv1.2',
  ciphers,
  honorCipherOrder: true,
  sigalgs,
} as const
