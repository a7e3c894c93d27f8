import { startServers } from '../../../devnet/servers.ts'

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string
  stop(): Promise<void>
}

/** Starts fauxqs, an S3 API in memory, with the bucket `blobs`. With `dir` and `port`, it can be started again. */
export async function startS3Server(
  settings: { readonly port?: number; readonly dir?: string } = {},
): Promise<S3Server> {
  const servers = await startServers<{ port: number }>({
    script: 's3.mjs',
    settings: { ...settings, buckets: ['blobs'] },
  })
  return {
    endpoint: `http://127.0.0.1:${servers.ready.port}`,
    stop: servers.stop,
    [Symbol.asyncDispose]: servers.stop,
  }
}
