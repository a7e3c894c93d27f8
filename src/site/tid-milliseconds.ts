const digits = '234567abcdefghijklmnopqrstuvwxyz'

/** Since 1970; a TID counts microseconds in front of its last two digits (https://atproto.com/specs/tid). */
export function tidMilliseconds(tid: string): number {
  const microseconds = [...tid.slice(0, -2)].reduce(
    (sum, digit) => sum * digits.length + digits.indexOf(digit),
    0,
  )
  return microseconds / 1000
}
