export const start = {
  title: 'Deine Website. Dein Konto. In Sekunden online.',
  signIn: {
    label: 'Dein Handle',
    hint: 'Dein Handle bei Bluesky oder im AT Protocol, etwa alice.bsky.social',
    submit: 'Anmelden',
    leaving: 'Frage deinen Server …',
    failed: 'Die Anmeldung hat nicht geklappt. Versuch es noch einmal.',
  },
  news: {
    left: 'Deine Daten hier sind gelöscht.',
    invited: 'Du bist eingeladen. Melde dich mit deinem Konto an, um anzunehmen.',
    signed_out: 'Deine Anmeldung ist abgelaufen. Melde dich noch einmal an.',
    sign_in: 'Melde dich an, um fortzufahren.',
  },
  problems: {
    auth_failed:
      'Die Anmeldung hat nicht geklappt. Versuch es noch einmal und erlaube alles, worum Sitehost bittet. Falls du abgelehnt hast: Es wurde nichts geändert.',
    too_many:
      'Zu viele Anmeldungen aus deinem Netz. Versuch es in ein paar Sekunden noch einmal; es wurde nichts geändert.',
    not_allowed:
      'Dieser Dienst ist nicht für alle offen, und dein Konto steht nicht auf seiner Liste. Bitte die Betreiber um eine Einladung; es wurde nichts gespeichert.',
    invitation_over:
      'Diese Einladung wurde schon benutzt oder ist abgelaufen. Bitte die Person, von der du sie hast, um eine neue.',
    missing_handle: 'Gib dein Handle oder die Adresse deines Servers ein.',
  },
}
