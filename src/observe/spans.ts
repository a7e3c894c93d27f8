/** Facts of a span that are known only during its work. */
export interface Span {
  rename(name: string): void
  set(attribute: string, value: string | number | boolean): void
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** Records how long work takes, and which work it was part of. */
export interface Spans {
  /** Settles as `work` does; spans that begin in it are its parts. */
  run<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>
}

const noSpan: Span = { rename() {}, set() {} }

/** Records nothing. */
export const noSpans: Spans = { run: (_, __, work) => work(noSpan) }
