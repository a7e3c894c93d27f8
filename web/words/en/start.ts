export const start = {
  title: 'Your website. Your account. Live in seconds.',
}
