import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import plcServer from '@did-plc/server'
import { bindToLoopback } from './bind-to-loopback.mjs'

/** Starts the PLC directory, the server that says which PDS and which keys a `did:plc:…` has. */
export async function startPlc({ dir, port }) {
  const db = new PlcFile(join(dir, 'plc.jsonl'))
  await db.load()
  const plc = plcServer.PlcServer.create({ db, port })
  bindToLoopback(plc.app)
  await plc.start()
  return { url: `http://localhost:${port}`, stop: () => plc.destroy() }
}

/**
 * The server's own in-memory database with its operations written down, one a line. Replaying them
 * passes the same validation as when they came in, so no PostgreSQL is needed.
 */
class PlcFile extends plcServer.MockDatabase {
  constructor(file) {
    super()
    this.file = file
  }

  async load() {
    if (!existsSync(this.file)) return
    for (const line of readFileSync(this.file, 'utf8').trimEnd().split('\n')) {
      const { did, operation, createdAt } = JSON.parse(line)
      await super.validateAndAddOp(did, operation)
      // The directory weighs rival operations by their age: it must survive the restart.
      this.contents[did].at(-1).createdAt = new Date(createdAt)
    }
  }

  async validateAndAddOp(did, operation) {
    await super.validateAndAddOp(did, operation)
    const { createdAt } = this.contents[did].at(-1)
    appendFileSync(this.file, `${JSON.stringify({ did, operation, createdAt })}\n`)
  }
}
