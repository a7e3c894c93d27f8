import { parse, walk } from 'css-tree'
import { Names, statuses } from './statuses.ts'

/** Keys of the features that a style sheet uses: properties, their values, functions, units, selectors, at-rules, media features. */
export function styleFeatures(css: string): Set<string> {
  const found = new Set<string>()
  const add = (key: string | undefined) =>
    void (key !== undefined && statuses.has(key) && found.add(key))
  const onParseError = (error: Error) => {
    throw error
  }
  walk(parse(css, { onParseError }), function (node) {
    switch (node.type) {
      case 'Atrule':
        return add(`css.at-rules.${node.name}`)
      case 'Feature':
        return add(`css.at-rules.${node.kind}.${node.name}`)
      case 'FeatureRange':
        return add('css.at-rules.media.range_syntax')
      case 'PseudoClassSelector':
      case 'PseudoElementSelector':
        return add(`css.selectors.${node.name}`)
      case 'NestingSelector':
        return add('css.selectors.nesting')
      case 'Declaration':
        add(`css.properties.${node.property}`)
        return add(
          this.atrule === null ? undefined : `css.at-rules.${this.atrule.name}.${node.property}`,
        )
      case 'Function':
      case 'Identifier':
        add(
          this.declaration === null
            ? undefined
            : `css.properties.${this.declaration.property}.${node.name}`,
        )
        return add(node.type === 'Function' ? functions.get(node.name) : undefined)
      case 'Dimension':
        return add(`css.types.length.${node.unit}`)
    }
  })
  return found
}

const functions = new Names()

for (const key of statuses.keys()) {
  if (key.startsWith('css.types.')) functions.add(key.slice(key.lastIndexOf('.') + 1), key)
}
