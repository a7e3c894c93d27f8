import type { MigrationSql } from './sql-migration.ts'

/**
 * The numbers of changes are given out while their transaction commits, one transaction at a time. Others then wait for a commit, and
 * not for what the process that commits does between two statements. The rows of `appended_changes` are in no finished
 * transaction, so nothing is lost with a crash.
 */
export const changesAtCommit: MigrationSql = ({ dialect, sequence, text }) =>
  dialect === 'sqlite'
    ? []
    : [
        `create unlogged table appended_changes (
          id ${sequence},
          kind ${text} not null,
          label ${text},
          host ${text},
          created_at bigint not null
        )`,
        `create function number_appended_change() returns trigger language plpgsql as $$
          begin
            perform pg_advisory_xact_lock(hashtextextended('changes', 0));
            insert into changes (kind, label, host, created_at)
              values (new.kind, new.label, new.host, new.created_at);
            delete from appended_changes where id = new.id;
            return null;
          end
        $$`,
        `create constraint trigger number_at_commit after insert on appended_changes
          deferrable initially deferred for each row execute function number_appended_change()`,
      ]
