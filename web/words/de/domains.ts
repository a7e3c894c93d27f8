export const domains = {
  title: 'Domains',
  intro:
    'Deine Website hat eine dauerhafte Adresse. Gib ihr eine bessere, oder deine eigene Domain.',
  table: {
    caption: 'Adressen dieser Website',
    address: 'Adresse',
    state: 'Zustand',
    primary: 'Hauptadresse',
    actions: 'Aktionen',
  },
  states: {
    permanent: 'Dauerhaft',
    live: 'Online',
    waiting: 'Wartet auf DNS',
    warned: 'Bitte ansehen',
    lost: 'Nicht mehr erreichbar',
  },
  certificate: {
    ordered: 'Zertifikat bestellt',
    refused: 'Kein Zertifikat',
    expired: 'Zertifikat abgelaufen',
    until: (day: string) => `Zertifikat bis ${day}`,
    titles: {
      'waiting-for-dns': (domain: string) => `${domain} hat kein Zertifikat`,
      ordered: (domain: string) => `Das Zertifikat von ${domain} ist bestellt`,
      refused: (domain: string) => `${domain} hat kein Zertifikat`,
      valid: (domain: string) => `Das Zertifikat von ${domain} konnte nicht erneuert werden`,
      expired: (domain: string) => `Das Zertifikat von ${domain} ist abgelaufen`,
    },
    authority: 'Die Zertifizierungsstelle sagt:',
    nextTry: (time: string) => `Nächster Versuch: ${time}`,
    advice: {
      elsewhere: (domain: string) =>
        `Das DNS von ${domain} führt noch nicht hierher: Korrigiere die Einträge CNAME, ALIAS, A oder AAAA.`,
      dns: (domain: string) =>
        `Die Zertifizierungsstelle findet ${domain} nicht im DNS: Prüfe die Nameserver der Domain und ihr DNSSEC.`,
      caa: (domain: string) =>
        `Ein CAA-Eintrag verbietet Zertifikate für ${domain}: Erlaube darin die Zertifizierungsstelle dieses Dienstes, oder lösche ihn.`,
      connection: (domain: string) =>
        `Die Zertifizierungsstelle erreicht ${domain} nicht an Port 80: Lösche A- und AAAA-Einträge, die anderswohin führen. Keine Firewall und kein Proxy darf dazwischen stehen.`,
      'wrong-answer': (domain: string) =>
        `Ein anderer Server hat der Zertifizierungsstelle für ${domain} geantwortet: Lösche A- und AAAA-Einträge, die anderswohin führen, und schalte Proxys deines DNS-Anbieters ab.`,
      'rejected-name': (domain: string) =>
        `Die Zertifizierungsstelle stellt für ${domain} keine Zertifikate aus: Verwende einen anderen Namen.`,
      'rate-limit': (domain: string) =>
        `Die Zertifizierungsstelle stellt gerade keine Zertifikate mehr aus: ${domain} bekommt seines später, du musst nichts tun.`,
      account: (domain: string) =>
        `Die Zertifizierungsstelle erkennt das Konto dieses Dienstes nicht an: Wer ihn betreibt, muss das beheben, bevor ${domain} ein Zertifikat bekommt.`,
      away: (domain: string) =>
        `Die Zertifizierungsstelle antwortet nicht: ${domain} bekommt sein Zertifikat später, du musst nichts tun.`,
      other: (domain: string) =>
        `Die Zertifizierungsstelle hat ${domain} abgelehnt: Ihre Worte sagen, warum. Später wird sie wieder gefragt.`,
    },
  },
  isPrimary: 'Hauptadresse',
  makePrimary: 'Zur Hauptadresse machen',
  makePrimaryOf: (domain: string) => `Zur Hauptadresse machen: ${domain}`,
  noPrimary: 'Nicht mehr weiterleiten',
  primaryHint:
    'Wer andere Adressen besucht, wird zur Hauptadresse geleitet, sobald du eine wählst.',
  nowPrimary: (domain: string) => `${domain} ist jetzt die Hauptadresse.`,
  nowNoPrimary: 'Jede Adresse zeigt jetzt die Website.',
  more: (domain: string) => `Mehr zu ${domain}`,
  detach: 'Hier nicht mehr verwenden',
  detached: (domain: string) => `${domain} zeigt jetzt keine Website. Sie gehört weiter dir.`,
  address: (domain: string) => `Die Adresse ${domain}`,

  rename: 'Adresse ändern …',
  renameTitle: (domain: string) => `${domain} ändern`,
  renameHint:
    'Links zur alten Adresse funktionieren nicht mehr. Sie bleibt 30 Tage für dich reserviert.',
  renameYes: 'Adresse ändern',
  renamed: (domain: string) => `Die Adresse ist jetzt ${domain}.`,

  giveUp: 'Aufgeben …',
  giveUpTitle: (domain: string) => `${domain} aufgeben?`,
  giveUpText:
    'Links zu dieser Adresse funktionieren nicht mehr. Die Website bleibt. Die Adresse bleibt 30 Tage für dich reserviert, danach kann jeder sie bekommen.',
  giveUpYes: 'Adresse aufgeben',
  gaveUp: (domain: string) => `Du hast ${domain} aufgegeben.`,

  remove: 'Domain entfernen …',
  removeTitle: (domain: string) => `${domain} entfernen?`,
  removeText:
    'Sie zeigt deine Website nicht mehr. Die Einträge bei deinem DNS-Anbieter kannst du löschen.',
  removeYes: 'Domain entfernen',
  removed: (domain: string) => `${domain} ist entfernt.`,

  claim: {
    title: 'Adresse wählen',
    label: 'Adresse',
    hint: '3 bis 63 Buchstaben, Ziffern und Bindestriche',
    yes: 'Nehmen',
    checking: 'Prüfe …',
    free: (domain: string) => `${domain} ist frei.`,
    taken: (domain: string) => `${domain} ist vergeben.`,
    try: 'Frei:',
    empty: 'Gib die Adresse ein, die du möchtest.',
    short: 'Nimm mindestens 3 Zeichen.',
    long: 'Nimm höchstens 63 Zeichen.',
    characters: 'Nimm nur Buchstaben, Ziffern und einzelne Bindestriche dazwischen.',
    reserved: 'Diese ist reserviert. Wähle eine andere.',
    yours: 'Diese Adresse hast du schon.',
    claimed: (domain: string) => `${domain} zeigt jetzt deine Website.`,
  },
  own: {
    title: 'Eigene Domain verwenden',
    label: 'Domain',
    hint: 'Eine, die dir gehört, etwa www.example.com',
    yes: 'Domain hinzufügen',
    empty: 'Gib eine Domain ein, die dir gehört.',
    wildcard:
      'Ein Platzhalter lässt sich nicht hinzufügen. Füge jeden Namen hinzu, etwa www.example.com.',
    added: (domain: string) => `${domain} ist hinzugefügt. Setze ihre zwei Einträge.`,
  },
  unused: {
    title: 'Adressen, die du hast und nicht verwendest',
    take: 'Hier verwenden',
    takeOf: (domain: string) => `Hier verwenden: ${domain}`,
    of: (site: string) => `zeigt ${site}`,
    taken: (domain: string) => `${domain} zeigt jetzt deine Website.`,
  },
}
