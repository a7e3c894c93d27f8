export const notFound = {
  title: 'Seite nicht gefunden',
  text: 'Unter dieser Adresse ist nichts. Vielleicht ist sie vertippt oder umgezogen.',
  toSites: 'Zu deinen Websites',
}
