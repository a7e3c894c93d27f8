import { stat } from 'node:fs/promises'
import { codeOf } from '#observe/code-of.ts'
import { StartError } from './start-failure.ts'

/** Throws StartError where root would leave files in somebody's data folder that its owner could not use. */
export async function assertOwnFolder(
  dataDir: string,
  user: number | undefined = process.getuid?.(),
): Promise<void> {
  if (user !== 0) return
  const owner = await ownerOf(dataDir)
  if (owner === null || owner === user) return
  throw new StartError(
    `${dataDir} belongs to user ${owner}, who could not use what root makes there: run this as that user`,
  )
}

async function ownerOf(folder: string): Promise<number | null> {
  try {
    return (await stat(folder)).uid
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
