import type { Catalogue } from '#web/words/en.ts'

export const dns: Catalogue['dns'] = {
  title: (domain: string) => `Zwei Einträge für ${domain} setzen`,
  titleOfLost: (domain: string) => `Einträge von ${domain} wieder setzen`,
  intro:
    'Setze sie dort, wo du das DNS deiner Domain verwaltest. Wir prüfen alle paar Sekunden, solange diese Seite offen ist.',
  type: 'Typ',
  name: 'Name',
  value: 'Wert',
  ownership: 'zeigt, dass die Domain dir gehört',
  pointing: 'führt Besucher hierher',
  done: 'Gefunden',
  missing: 'Noch nicht gefunden',
  checking: 'Prüfe …',
  checkNow: 'Jetzt prüfen',
  checkOf: (domain: string) => `Jetzt prüfen: ${domain}`,
  copyName: (type: string) => `Der Name des ${type}-Eintrags`,
  copyValue: (type: string) => `Der Wert des ${type}-Eintrags`,
  apex: 'Ganz oben in einer Domain nennen Anbieter das ALIAS, ANAME oder CNAME-Flattening.',
  whole: (name: string) =>
    `Der ganze Name ist ${name}. Die meisten Anbieter möchten ihn ohne deine Domain, wie oben.`,
  providersTitle: 'Wie dein Anbieter es nennt',
  verified: (domain: string) => `${domain} ist bestätigt.`,
  providers: [
    {
      name: 'Cloudflare',
      text: 'DNS → Records → Add record. „Name“, dann „Content“ oder „Target“. Den CNAME auf „DNS only“ stellen.',
    },
    {
      name: 'Namecheap',
      text: 'Domain List → Manage → Advanced DNS → Add new record. „Host“ und „Value“; ganz oben ein ALIAS-Eintrag.',
    },
    {
      name: 'GoDaddy',
      text: 'Domain-Portfolio → DNS → Neuen Eintrag hinzufügen. „Name“ und „Wert“.',
    },
    {
      name: 'IONOS',
      text: 'Domains & SSL → DNS → Record hinzufügen. „Hostname“, dann „Wert“ oder „Zeigt auf“.',
    },
    {
      name: 'Gandi',
      text: 'Domain → DNS-Einträge → Hinzufügen. „Name“ und „Wert“ oder „Ziel“; ganz oben ALIAS.',
    },
  ],
}
