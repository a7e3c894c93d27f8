// biome-ignore lint/suspicious/noExplicitAny: nodes of every type, by the names of their fields
export type Node = any

/** Calls `visit` with each node of a syntax tree and the nodes around it, outermost first. */
export function walk(
  node: Node,
  visit: (node: Node, around: readonly Node[]) => void,
  around: readonly Node[] = [],
): void {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit, around)
    return
  }
  if (node === null || typeof node !== 'object' || node instanceof RegExp) return
  const isNode = typeof node.type === 'string'
  if (isNode) visit(node, around)
  const inside = isNode ? [...around, node] : around
  for (const value of Object.values(node)) walk(value, visit, inside)
}

/** Of a literal; minifiers write some as templates. */
export function stringOf(node: Node): string | null {
  if (node?.type === 'TemplateLiteral' && node.quasis.length === 1)
    return node.quasis[0].value.cooked
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null
}

/** Of an identifier, or of a member of the global object. */
export function globalNameOf(node: Node): string | null {
  if (node?.type === 'Identifier') return node.name
  const isOfGlobal =
    node?.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    ['globalThis', 'window', 'self'].includes(node.object.name)
  return isOfGlobal ? memberNameOf(node) : null
}

/** Of `a.name` and `a['name']`. */
export const memberNameOf = ({ computed, property }: Node): string | null =>
  computed ? stringOf(property) : property.type === 'Identifier' ? property.name : null
