export const start = {
  title: 'Deine Website. Dein Konto. In Sekunden online.',
}
