import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { nginxConfig, startNginxWith } from '#tests/support/servers/nginx.ts'

export interface Balancer extends AsyncDisposable {
  readonly pid: number
  /** New requests go to these ports only; those under way end where they are. */
  use(ports: readonly number[]): Promise<void>
  /** Resolves when no request is under way that came before the last `use`. */
  drained(): Promise<void>
}

interface BalancerOptions {
  readonly dir: string
  readonly port: number
  readonly ports: readonly number[]
}

/** nginx in front of several instances, in turn; leaves one out for a second when it does not answer. */
export async function startBalancer({ dir, port, ports }: BalancerOptions): Promise<Balancer> {
  const answers = () => fetch(`http://127.0.0.1:${port}/healthz`)
  // Also when the test's process is killed.
  const runner = ['setpriv', '--pdeathsig=TERM']
  const child = await startNginxWith(configOf(dir, port, ports), dir, answers, runner)
  const workers = async () =>
    (await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()).trim().split(' ')
  return {
    pid: child.pid,
    async use(some) {
      const before = (await workers()).at(-1)
      await Bun.write(join(dir, 'nginx.conf'), configOf(dir, port, some))
      child.kill('SIGHUP')
      await eventually(async () => {
        if ((await workers()).at(-1) === before) throw new Error('nginx has not read it yet')
      })
    },
    drained: () =>
      eventually(async () => {
        if ((await workers()).length > 1) throw new Error('nginx still ends requests')
      }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** An answer of a site is awaited for two seconds, then another instance is asked; one of the application is as long as a job. */
function configOf(dir: string, port: number, ports: readonly number[]): string {
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`)
  const forward = `
      proxy_pass http://instances;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_connect_timeout 1s;`
  const http = `
  keepalive_requests 1000000;
  client_max_body_size 0;
  upstream instances { ${servers.join(' ')} }
  server {
    listen 127.0.0.1:${port} default_server backlog=4096;
    location / {${forward}
      proxy_read_timeout 2s;
    }
  }
  server {
    listen 127.0.0.1:${port};
    server_name 127.0.0.1;
    location / {${forward}
      proxy_read_timeout 300s;
    }
  }`
  return nginxConfig(dir, http, { connections: 2048 })
}
