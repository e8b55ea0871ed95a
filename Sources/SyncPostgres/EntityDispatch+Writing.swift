import SyncSchema

/// How changes reach the tables of their entities.
extension EntityDispatch {
    var writing: String {
        """
        -- Locks the rows of changes, or fails.
        create or replace function entitysync.try_lock(changes entitysync.change[]) returns void
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(tryLock));

        -- Takes in the deleted rows of records that a device makes anew.
        create or replace function entitysync.bury(changes entitysync.change[]) returns void
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(bury));

        -- What the row of a record says, which is locked, or fails.
        create or replace function entitysync.locked_row(entity text, p_space uuid, p_key text) returns text
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(each { "return \($0.function(purpose: "row"))(p_space, p_key, true);" }));

        -- Writes the row of one change; null if its table has to be looked at in the general way.
        create or replace function entitysync.write_one(change entitysync.change, row_json text)
        returns entitysync.written
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(writeOne));

        -- Writes the rows of different records, all or none: upserts with parents first, then deletes with children
        -- first.
        create or replace function entitysync.write_rows(changes entitysync.change[])
        returns entitysync.written[]
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(writeRows));

        -- The key of a record that has the same values as a change, according to a unique index of its table.
        create or replace function entitysync.other_record(change entitysync.change, index text) returns text
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(otherRecord));
        """
    }

    /// The entities of changes. NB: `unnest` after `from` would copy all of them.
    static let presentEntities =
        "array(select distinct (u.c).entity from (select unnest(changes) as c) as u)"

    private var tryLock: String {
        let steps = tables.map { table in
            """
              if \(table.entity) = any (present) then
                perform \(table.function(purpose: "lock"))(changes);
              end if;
            """
        }
        return """
            declare
              present text[] := \(Self.presentEntities);
            begin
            \(steps.joined(separator: "\n"))
            end
            """
    }

    private var bury: String {
        let steps = tables.filter { $0.buryBody != nil }.map { table in
            """
              if exists (select from unnest(changes) as c where c.entity = \(table.entity)) then
                perform \(table.function(purpose: "bury"))(changes);
              end if;
            """
        }
        return "begin\n\(steps.joined(separator: "\n"))\nend"
    }

    private var writeRows: String {
        func step(table: PostgresTable, isDeleted: Bool) -> String {
            let function = table.function(purpose: isDeleted ? "remove" : "write")
            return """
                  if \(table.entity) = any (\(isDeleted ? "deleted" : "live")) then
                    done := done || \(function)(
                      case when is_uniform then changes else
                        array(
                          select c from unnest(changes) as c
                          where c.entity = \(table.entity) and \(isDeleted ? "" : "not ")c.is_deleted
                        )
                      end
                    );
                  end if;
                """
        }
        let steps =
            tables.map { step(table: $0, isDeleted: false) }
            + tables.reversed().map { step(table: $0, isDeleted: true) }
        return """
            declare
              live text[];
              deleted text[];
              -- Whether all are of one entity, and none or all of them deletes.
              is_uniform boolean;
              done entitysync.written[] := '{}';
            begin
              select
                array_agg(c.entity) filter (where not c.is_deleted), array_agg(c.entity) filter (where c.is_deleted),
                min(c.entity) = max(c.entity) and bool_or(c.is_deleted) = bool_and(c.is_deleted)
              into live, deleted, is_uniform
              from (select (u.c).entity, (u.c).is_deleted from (select unnest(changes) as c) as u) as c;
            \(steps.joined(separator: "\n"))
              return done;
            end
            """
    }

    private var writeOne: String {
        changed {
            $0.mayAlter ? "return \($0.function(purpose: "write_one"))(change, row_json);" : "return null;"
        }
    }

    private var otherRecord: String {
        changed { "return \($0.function(purpose: "other"))(change, index);" }
    }
}
