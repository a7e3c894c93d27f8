import type { AnswerTo } from '#api/contract/client.ts'

type Policy = AnswerTo<'GET /api/admin/allowed'>['signIn']

/** Who may sign in by the setting, and whether list and invitations count. */
export const SignInNote = ({ signIn }: { signIn: Policy }) => (
  <p>
    <code>SIGN_IN={signIn}</code>: {meanings[signIn]}
  </p>
)

const meanings = {
  open: 'everybody may sign in. The list and invitations are not used.',
  listed: 'only accounts on the list may sign in. Invitations are not used.',
  invited: 'accounts on the list may sign in, and guests with an invitation.',
} as const
