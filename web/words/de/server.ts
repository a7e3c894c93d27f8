export const server = {
  unreachable: 'Sitehost ist nicht erreichbar. Prüfe deine Verbindung und versuch es noch einmal.',
  status: (status: number) =>
    `Sitehost hat mit einem Fehler geantwortet (${status}). Versuch es noch einmal.`,
  signedOut: 'Deine Anmeldung ist abgelaufen. Melde dich noch einmal an.',
  failed: 'Das hat nicht geklappt. Versuch es noch einmal.',
  unknown: 'Etwas ist schiefgegangen. Lade die Seite neu.',
}
