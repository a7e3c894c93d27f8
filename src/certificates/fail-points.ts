/** Moments of an order at which a test kills the process. */
export const certificatePoints = [
  'certificate-ordered',
  'certificate-answer-stored',
  'certificate-name-proven',
  'certificate-finalized',
  'certificate-downloaded',
] as const

export type CertificatePoint = (typeof certificatePoints)[number]
