// The process of an OpenID provider, which `issuer.ts` starts. Prints one line, `ready {…}`.
import { endWithParent, prepareProcess } from './own-process.mjs'

/** @type {{ stop(): Promise<unknown> } | undefined} */
let issuer

endWithParent(() => issuer?.stop())
prepareProcess({})

const { startIssuer } = await import('./issuer.mjs')
const started = await startIssuer()
issuer = started
process.stdout.write(`ready ${JSON.stringify({ url: started.url })}\n`)
