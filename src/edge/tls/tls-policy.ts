/** Only with forward secrecy and authenticated encryption; TLS 1.3 has no others (RFC 9325 §4.2). */
const ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** For the listener and for every context: the context that a name chooses replaces what the listener has (Bun 1.4.5). */
export const tlsPolicy = { minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true } as const
