/**
 * What is wrong with a field, where the service says it of that one: its sentence begins with the name that
 * the interface has for it, which nobody at the screen knows. Null: of another, or of none.
 */
export function problemOfField(problem: string | null, field: string): string | null {
  const [, name, first = '', rest = ''] = /^(\w+)(?:\.\w+)*: (.)(.*)$/su.exec(problem ?? '') ?? []
  return name === field ? first.toUpperCase() + rest : null
}
