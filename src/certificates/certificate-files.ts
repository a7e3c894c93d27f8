import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { codeOf } from '#observe/code-of.ts'
import type { Certificate } from './certificate.ts'

/** Two files in PEM: a certificate with its chain, and its key. */
export interface CertificateFiles {
  readonly chainFile: string
  readonly keyFile: string
}

/** Message: which file cannot be used, and why. */
export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError'
}

export interface FileCertificate extends Certificate {
  /** Host names and wildcards, in lower case. */
  readonly names: readonly string[]
  readonly validUntil: number
}

/** Throws CertificateFileError if the files cannot be read, or do not belong to each other. */
export async function readCertificateFiles(files: CertificateFiles): Promise<FileCertificate> {
  const { chainFile, keyFile } = files
  const [chain, key] = await Promise.all([readPem(chainFile), readPem(keyFile)])
  const certificate = parsed(chainFile, () => new X509Certificate(chain))
  const privateKey = parsed(keyFile, () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateFileError(`${keyFile} is not the key of the certificate in ${chainFile}`)
  }
  const names = namesOf(certificate)
  if (names.length === 0) throw new CertificateFileError(`${chainFile} is for no host name`)
  return { chain, key, names, validUntil: Date.parse(certificate.validTo) }
}

/** `DNS:a.example, DNS:*.a.example, IP Address:…`; what contains a comma is quoted. */
function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName
    .split(', ')
    .map((name) => /^DNS:([a-z0-9.*-]+)$/i.exec(name)?.[1]?.toLowerCase())
    .filter((name) => name !== undefined)
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CertificateFileError(`${file} cannot be read (${codeOf(cause)})`, { cause })
  }
}

function parsed<T>(file: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new CertificateFileError(`${file} is not in PEM`, { cause })
  }
}
