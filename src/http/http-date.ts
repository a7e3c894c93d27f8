/**
 * Parses an HTTP date in any of the three forms of RFC 9110 §5.6.7 to seconds since the epoch; null: invalid. Two-digit
 * years are 1970 to 2069. Linear, and never throws.
 */
export function parseHttpDate(text: string): number | null {
  for (const form of forms) {
    const { day = '', month = '', year = '', time = '' } = form.exec(text)?.groups ?? {}
    if (time === '') continue
    const isoMonth = String(months.indexOf(month) + 1).padStart(2, '0')
    const isoDay = day.replace(' ', '0')
    const milliseconds = Date.parse(`${fullYear(year)}-${isoMonth}-${isoDay}T${time}Z`)
    return Number.isNaN(milliseconds) ? null : milliseconds / 1000
  }
  return null
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const time = '(?<time>\\d\\d:\\d\\d:\\d\\d)'
const month = '(?<month>[A-Z][a-z]{2})'

/** IMF-fixdate, RFC 850, and C's asctime. */
const forms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
]

const fullYear = (year: string): string =>
  year.length === 4 ? year : `${year >= '70' ? '19' : '20'}${year}`
