const charsMin = 3
const charsMax = 63

/** Labels that look like the service's own or that it uses. */
const reserved = new Set([
  ...['www', 'api', 'admin', 'static', 'public', 'preview', 'cdn', 'pds', 'auth', 'staging'],
  ...['sites', 'mail', 'smtp', 'imap', 'ns', 'ns1', 'ns2', 'dns', 'autodiscover', 'wpad'],
  ...['isatap', 'mta-sts', 'openpgpkey', 'autoconfig', 'lyncdiscover', 'sip', 'msoid'],
  ...['enterpriseenrollment', 'enterpriseregistration', 'pop', 'pop3', 'webmail', 'relay'],
  ...['mx', 'mx1', 'ftp', 'localhost', 'broadcasthost', 'vpn', 'login', 'signin', 'account'],
  ...['accounts', 'app', 'secure', 'security', 'support', 'help', 'status', 'billing', 'abuse'],
  ...['postmaster', 'hostmaster', 'webmaster', 'noreply', 'root', 'ssl-admin'],
])

/** 3 to 63 of `a-z 0-9 -`, not reserved, no hyphen first, last or doubled: never like `s--…` or `xn--…`. Else null. */
export function parseSubdomainLabel(input: string): string | null {
  const label = input.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const isShaped = label.length <= charsMax && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(label)
  return isShaped && label.length >= charsMin && !reserved.has(label) ? label : null
}
