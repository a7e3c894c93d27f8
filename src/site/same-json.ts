/** Whether two values are the same JSON. A field that is undefined is none; the order of fields does not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const [names, others] = [definedNames(a), definedNames(b)]
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  )
}

type Container = Readonly<Record<string, unknown>>

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null

/** Of a list its indices. */
const definedNames = (of: Container): string[] =>
  Object.keys(of).filter((name) => of[name] !== undefined)
