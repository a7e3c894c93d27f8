import { spawn } from 'node:child_process'

/** Whether somebody sits in front of this machine. */
export function isDesktop({ env, platform } = process): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY'] || env['CI']) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/** On this machine; without a browser, nothing happens. Other schemes than the web's would start other programs. */
export function openInBrowser({ href, protocol }: URL): void {
  if (!/^https?:$/.test(protocol)) return
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, href], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
