import { startOf } from '#publish/upload/start-of.ts'
import type { ChosenFile } from './folder-choice.ts'
import { contentOf } from './folder-content.ts'

/** The paths of files that look as if they hold passwords, tokens or private keys. Throws UnreadableFileError. */
export async function findCredentials(files: readonly ChosenFile[]): Promise<string[]> {
  const found: string[] = []
  for (const file of files) {
    const paths = [file.path, file.target ?? '']
    if (paths.some(isNamedLikeCredentials) || (await isPrivateKey(file))) found.push(file.path)
  }
  return found
}

const isNamedLikeCredentials = (path: string): boolean =>
  path
    .toLowerCase()
    .split('/')
    .some((name) => names.has(name) || patterns.some((pattern) => pattern.test(name)))

const patterns = [
  /\.(?:p8|p12|pfx|jks|keystore|kdbx|ppk|env)$/,
  // What Terraform made has passwords in it; its backups, too.
  /\.tfstate(?:\.backup)?$/,
  // Keys of Google's service accounts, as their console names them.
  /^service[-_]?account.*\.json$/,
]

/** In lower case: files, and folders for whatever is in them. */
const names = new Set([
  ...['.npmrc', '.yarnrc.yml', '.pypirc', '.netrc', '_netrc', '.pgpass', '.my.cnf', '.htpasswd'],
  ...['.git-credentials', '.dockercfg', '.s3cfg', '.boto', '.terraformrc', '.vault-token'],
  ...['.ssh', '.aws', '.azure', '.gcloud', '.kube', '.gnupg', '.docker', '.password-store'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519'],
])

/** Certificates and presentations have these endings, too: the content tells. */
async function isPrivateKey(file: ChosenFile): Promise<boolean> {
  if (!/\.(?:pem|key)$/i.test(file.path)) return false
  return /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(await startOf(contentOf(file), 100))
}
