// Publishes a folder as an account of the demo's network:
//   bun devnet/publish.ts <folder> [site name] [application, http://127.0.0.1:3000]
// Signing in drives the account server's own pages with the password that every seeded account has.

import { basename, join, resolve } from 'node:path'
import { AppClient } from './app-client.ts'

const [folder, siteName, app = 'http://127.0.0.1:3000'] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: bun devnet/publish.ts <folder> [site name] [application]')
  process.exit(1)
}
const paths = [...new Bun.Glob('**/*').scanSync({ cwd: folder, onlyFiles: true, dot: true })]
const client = new AppClient(app)
if (!(await client.fetch('/healthz').catch(() => null))?.ok) {
  console.error(
    `nobody answers at ${app}: start the demo (npm run demo), or name the application that runs`,
  )
  process.exit(1)
}
await client.signIn('alice.test', 'hunter2pass')
const result = await client.publish(
  siteName ?? basename(resolve(folder)),
  paths.map((path) => ({ path, body: Bun.file(join(folder, path)) })),
)
console.log(result['url'])
