declare module 'netlify-redirector' {
  interface Request {
    readonly scheme: string
    readonly host: string
    readonly path: string
    /** Without its question mark. */
    readonly query: string
    getHeader(name: string): string
    getCookie(name: string): string
  }

  interface Match {
    readonly from: string
    readonly to: string
    readonly status: number
    readonly force: boolean
  }

  interface Matcher {
    match(request: Request): Match | null
    /** It lives in WebAssembly's memory, which nobody else sweeps. */
    delete(): void
  }

  export function parsePlain(rules: string, options: object): Promise<Matcher>
}
