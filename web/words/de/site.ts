export const site = {
  tabs: {
    label: 'Teile dieser Website',
    overview: 'Überblick',
    files: 'Dateien',
    versions: 'Versionen',
    domains: 'Domains',
    settings: 'Einstellungen',
  },
  missing: {
    title: (rkey: string) => `Du hast keine Website namens ${rkey}`,
    text: 'Vielleicht wurde sie gelöscht, oder sie gehört zu einem anderen Konto.',
    toSites: 'Zu deinen Websites',
  },
  open: 'Öffnen',
  address: 'Adresse',
  live: 'Online',
  problems: 'Bitte ansehen',
  notLive: 'Noch nicht online',
}
