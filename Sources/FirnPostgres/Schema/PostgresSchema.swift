/// The tables that hold the logs of many stores in one database, in a schema of their own.
///
///     firn.format     the version of this schema: one row
///     firn.store      a row for each store: its name and UUID, where its log begins, what the application says of it
///     firn.record     a row for each record: the same bytes as in a segment, and what is asked for beside them
///     firn.dictionary what payloads of some records are compressed with, by its SHA-256
///     firn.baseline   what stands in for records that were cut off, in pieces
///     firn.value      a large value that records name, by its SHA-256; its bytes are in firn.value_piece
///
/// A record's primary key is what makes appending safe: of two writers that append after the same record, one finds the
/// number taken. Records are partitioned by store from the beginning, with one partition for all: a large store can
/// be given a partition, and a disk, of its own.
enum PostgresSchema {
    static let version: Int64 = 1
    /// Bytes of a baseline, or of a large value, in one row.
    static let pieceSize = 1 << 20

    /// Makes everything that is not there yet; in one transaction, and one program at a time.
    static let installation = """
        select pg_advisory_xact_lock(7093846212309);
        create schema if not exists firn;
        create table if not exists firn.format (version bigint not null);
        insert into firn.format select \(version) where not exists (select from firn.format);
        create table if not exists firn.store (
            id uuid primary key,
            name text not null unique,
            format bigint not null,
            created timestamptz not null default now(),
            floor bigint not null,
            floor_link bytea not null,
            floor_date bigint not null,
            attachment bytea
        );
        create table if not exists firn.record (
            store uuid not null,
            sequence bigint not null,
            kind smallint not null,
            date bigint not null,
            link bytea not null,
            frame bytea not null,
            dictionary bytea,
            primary key (store, sequence)
        ) partition by list (store);
        create table if not exists firn.record_of_any partition of firn.record default;
        alter table firn.record_of_any alter frame set storage external;
        create table if not exists firn.dictionary (
            store uuid not null references firn.store,
            id bytea not null,
            bytes bytea not null,
            primary key (store, id)
        );
        create table if not exists firn.baseline (
            store uuid not null references firn.store,
            through bigint not null,
            piece bigint not null,
            bytes bytea not null,
            primary key (store, through, piece)
        );
        alter table firn.baseline alter bytes set storage external;
        create table if not exists firn.value (
            store uuid not null references firn.store,
            id bytea not null,
            size bigint not null,
            primary key (store, id)
        );
        create table if not exists firn.value_piece (
            store uuid not null,
            id bytea not null,
            piece bigint not null,
            bytes bytea not null,
            primary key (store, id, piece),
            foreign key (store, id) references firn.value on delete cascade
        );
        alter table firn.value_piece alter bytes set storage external;
        \(append)
        """

    /// What whoever cuts off records, or removes the store `$1`, takes before that, until it commits. Appends share it:
    /// they check and insert, and must not meet rows that vanish in between. A reference from each record to its store
    /// would take a row lock, which is written to disk, for each append.
    static let exclusion = "select 1 from pg_advisory_xact_lock(hashtextextended($1::uuid::text, 0))"

    /// The first frame decides: its number is free and the record before it is the one it is chained to, or nothing
    /// happens. Nobody else can have the numbers after it then.
    ///
    /// Where the frames are there already, an earlier try may have been acknowledged by nobody: its commit may not
    /// have reached the standby. The row is locked so that this transaction has something to commit, which cannot be
    /// acknowledged before what was committed earlier.
    private static let append = """
        create or replace function firn.append(
            of_store uuid, after bigint, after_link bytea, uses bytea,
            kinds smallint[], dates bigint[], links bytea[], frames bytea[],
            out outcome smallint, out head bigint
        ) language plpgsql as $$
        declare
            count bigint := array_length(links, 1);
            done bigint := 0;
        begin
            perform pg_advisory_xact_lock_shared(hashtextextended(of_store::text, 0));
            perform from firn.record r
                where r.store = of_store and r.sequence = after and r.link = after_link;
            if not found then
                perform from firn.store s where s.id = of_store and s.floor = after and s.floor_link = after_link;
            end if;
            if found then
                insert into firn.record (store, sequence, kind, date, link, frame, dictionary)
                    values (of_store, after + 1, kinds[1], dates[1], links[1], frames[1], uses)
                    on conflict do nothing;
                get diagnostics done = row_count;
            end if;
            if done = 1 then
                if count > 1 then
                    insert into firn.record (store, sequence, kind, date, link, frame, dictionary)
                        select of_store, after + n, u.kind, u.date, u.link, u.frame, uses
                        from unnest(kinds, dates, links, frames) with ordinality as u (kind, date, link, frame, n)
                        where n > 1;
                end if;
                outcome := 0;
                head := after + count;
                return;
            end if;
            perform from firn.record r
                where r.store = of_store and r.sequence = after + count and r.link = links[count] for update;
            if not found then
                perform from firn.store s
                    where s.id = of_store and s.floor = after + count and s.floor_link = links[count] for update;
            end if;
            outcome := case when found then 1 else 2 end;
            select coalesce(max(r.sequence), (select s.floor from firn.store s where s.id = of_store)) into head
                from firn.record r where r.store = of_store;
        end
        $$;
        """
}
