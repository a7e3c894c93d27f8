import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What a devnet keeps of itself, beside the servers' own data.
 *
 * @typedef {{
 *   pdsPort: number
 *   plcPort: number
 *   secrets: {
 *     jwtSecret: string
 *     dpopSecret: string
 *     adminPassword: string
 *     plcRotationKeyK256PrivateKeyHex: string
 *   }
 *   accounts: { handle: string, did: string, password: string }[]
 * }} Saved
 */

/** @returns {Saved | undefined} `undefined` before the first start in `dir` */
export function readSaved(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, 'network.json'), 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces the file in one step, so that a killed process leaves the old one or the new one. */
export function writeSaved(dir, /** @type {Saved} */ saved) {
  const file = join(dir, 'network.json')
  writeFileSync(`${file}.tmp`, JSON.stringify(saved, null, 2), { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
}
