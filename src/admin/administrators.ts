import { type Admin, addAdmin, changeAdminPassword, removeAdmin } from '#store/accounts/admins.ts'
import { type AdminContext, audited, type By } from './action.ts'

/** False when there is one with this name. */
export async function addAdministrator(
  admin: Admin,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  const action = { action: 'admin.add', subject: admin.name }
  return await audited(action, by, context, (transaction) => addAdmin(transaction, admin))
}

/** Ends their sessions too. False when there is none with this name. */
export async function changeAdministratorPassword(
  name: string,
  passwordHash: string,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  const action = { action: 'admin.change-password', subject: name }
  return await audited(action, by, context, (transaction) =>
    changeAdminPassword(transaction, name, passwordHash),
  )
}

/** Removes their sessions too. False when there is none with this name. */
export async function removeAdministrator(
  name: string,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  const action = { action: 'admin.remove', subject: name }
  return await audited(action, by, context, (transaction) => removeAdmin(transaction, name))
}
