export const foreign = {
  title: (network: string) => `Bei ${network}`,
  text: 'Diese Websites werden hier so gezeigt, wie sie dort sind. Hol eine herüber, um sie hier zu ändern: Ihre Dateien bleiben, wo sie sind, und nichts wird hochgeladen.',
  bring: 'Herüberholen',
  bringOf: (site: string) => `Herüberholen: ${site}`,
  here: (site: string) => `Hier als ${site}`,
  done: (site: string) => `${site} ist jetzt eine deiner Websites.`,
  name: 'Name der Website',
  nameTaken: (site: string) =>
    `Du hast schon eine Website namens ${site}. Wähle einen anderen Namen.`,
  taken: (site: string) => `Du hast schon eine Website namens ${site}.`,
}
