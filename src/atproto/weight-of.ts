/** Characters that take about as much memory as a value does, some 80 bytes. */
const charsPerValue = 64

/**
 * How many values a piece of parsed JSON has, long texts counting as several. Stops at more than `max`, and
 * goes as deep as it is without recursion.
 */
export function weightOf(json: unknown, max: number): number {
  let weight = 0
  const waiting: unknown[] = [json]
  while (waiting.length > 0 && weight <= max) {
    const value = waiting.pop()
    weight += 1
    if (typeof value === 'string') weight += value.length / charsPerValue
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      weight += name.length / charsPerValue
      waiting.push(inner)
    }
  }
  return weight
}
