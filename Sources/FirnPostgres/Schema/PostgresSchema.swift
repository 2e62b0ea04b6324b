/// The tables that hold the logs of many stores in one database, in a schema of their own.
///
///     firn.format     the version of this schema: one row
///     firn.store      a row for each store: its name and UUID, where its log begins, what the application says of it
///     firn.record     a row for each record: the same bytes as in a segment, and columns that statements search by
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
        """

    /// Run by a transaction before it trims the log or removes the store `$1`: until it commits, no other one can.
    static let exclusion = "select 1 from pg_advisory_xact_lock(hashtextextended($1::uuid::text, 0))"

    /// Keeps everybody from appending to the store `$1` until the transaction ends, and gives where it begins.
    static let halt = "select floor from firn.store where id = $1::uuid for update"
}
