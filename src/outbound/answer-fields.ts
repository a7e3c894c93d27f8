import { UnusableAnswerError } from './server-errors.ts'

/** An object in a server's answer, read by field. Methods throw an UnusableAnswerError that names the field. */
export class AnswerFields {
  readonly #method: string
  readonly #path: string
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(method: string, value: unknown, path = '') {
    this.#method = method
    this.#path = path
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new UnusableAnswerError(method, path || 'not an object')
    }
    this.#fields = value as Readonly<Record<string, unknown>>
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  get(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
  }

  /** 1 to `charsMax` characters. */
  string(name: string, charsMax: number): string {
    const value = this.get(name)
    if (typeof value === 'string' && value !== '' && value.length <= charsMax) return value
    throw this.unusable(name)
  }

  /** The CID of a record, a blob or a commit. */
  cid(name: string): string {
    const cid = this.string(name, cidCharsMax)
    if (!/^[\w=+/-]+$/.test(cid)) throw this.unusable(name)
    return cid
  }

  /** A whole number, zero or more. */
  count(name: string): number {
    const value = this.get(name)
    if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
    throw this.unusable(name)
  }

  list(name: string): readonly unknown[] {
    const value = this.get(name)
    if (Array.isArray(value)) return value
    throw this.unusable(name)
  }

  objects(name: string): AnswerFields[] {
    return this.list(name).map(
      (value, n) => new AnswerFields(this.#method, value, this.#pathOf(`${name}.${n}`)),
    )
  }

  unusable(name: string, options?: ErrorOptions): UnusableAnswerError {
    return new UnusableAnswerError(this.#method, this.#pathOf(name), options)
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }
}

/** CIDs of the protocol have 59. */
const cidCharsMax = 128
