import type { MigrationSql } from './sql-migration.ts'

/** Whoever listens learns of a change when it is committed, whichever process has written it. */
export const changesNotify: MigrationSql = ({ dialect }) =>
  dialect === 'sqlite'
    ? []
    : [
        `create function notify_of_changes() returns trigger language plpgsql as $$
          begin
            perform pg_notify('sitehost', 'changes');
            return null;
          end
        $$`,
        `create trigger changes_notify after insert on changes
          for each statement execute function notify_of_changes()`,
      ]
