// What FirnPostgres calls of libpq, PostgreSQL's client library (https://www.postgresql.org/docs/15/libpq.html).
//
// The library is loaded when it is first asked for, and nothing is linked: a program that never opens a log on a server
// needs no libpq, neither to be built nor to run. Its functions have been called the same since libpq.so.5 of 2005. A test
// compiles these declarations against libpq's own where those are installed.
#pragma once

#include <dlfcn.h>
#include <stddef.h>

#ifndef LIBPQ_FE_H
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;
typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;
typedef void (*PQnoticeReceiver)(void *, const PGresult *);
#endif

// One line for each function: the type of what it returns, its name, the types of what it takes.
#define LIBPQ_FUNCTIONS(F) \
    F(PGconn *, PQconnectdbParams, (const char *const *, const char *const *, int)) \
    F(void, PQfinish, (PGconn *)) \
    F(char *, PQerrorMessage, (const PGconn *)) \
    F(char *, PQuser, (const PGconn *)) \
    F(int, PQconnectionNeedsPassword, (const PGconn *)) \
    F(int, PQconnectionUsedPassword, (const PGconn *)) \
    F(int, PQsocket, (const PGconn *)) \
    F(int, PQserverVersion, (const PGconn *)) \
    F(int, PQsetnonblocking, (PGconn *, int)) \
    F(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *, PQnoticeReceiver, void *)) \
    F(int, PQsendQuery, (PGconn *, const char *)) \
    F(int, PQsendQueryParams, (PGconn *, const char *, int, const Oid *, const char *const *, const int *, const int *, int)) \
    F(int, PQsendPrepare, (PGconn *, const char *, const char *, int, const Oid *)) \
    F(int, PQsendQueryPrepared, (PGconn *, const char *, int, const char *const *, const int *, const int *, int)) \
    F(int, PQflush, (PGconn *)) \
    F(int, PQconsumeInput, (PGconn *)) \
    F(int, PQisBusy, (PGconn *)) \
    F(PGresult *, PQgetResult, (PGconn *)) \
    F(char *, PQresultErrorMessage, (const PGresult *)) \
    F(char *, PQresultErrorField, (const PGresult *, int)) \
    F(void, PQclear, (PGresult *)) \
    F(int, PQntuples, (const PGresult *)) \
    F(int, PQgetisnull, (const PGresult *, int, int)) \
    F(int, PQgetlength, (const PGresult *, int, int)) \
    F(char *, PQgetvalue, (const PGresult *, int, int)) \
    F(PGnotify *, PQnotifies, (PGconn *)) \
    F(void, PQfreemem, (void *))

// Enumerations of libpq's, which C passes as `int`: these two return one.
#ifndef LIBPQ_FE_H
#define LIBPQ_STATUS(F) F(int, PQstatus, (const PGconn *)) F(int, PQresultStatus, (const PGresult *))
#else
#define LIBPQ_STATUS(F) \
    F(ConnStatusType, PQstatus, (const PGconn *)) F(ExecStatusType, PQresultStatus, (const PGresult *))
#endif

#define LIBPQ_FIELD(result, name, parameters) result(*name) parameters;

// The functions, where the library has them.
struct libpq {
    LIBPQ_FUNCTIONS(LIBPQ_FIELD)
    LIBPQ_STATUS(LIBPQ_FIELD)
};

#define LIBPQ_LOAD(result, name, parameters) \
    *(void **)&functions->name = dlsym(library, #name); \
    if (!functions->name) missing = #name;

// Fills `functions` in; returns null, or the name of a function that the library does not have.
static inline const char *load_libpq(void *library, struct libpq *functions) {
    const char *missing = NULL;
    LIBPQ_FUNCTIONS(LIBPQ_LOAD)
    LIBPQ_STATUS(LIBPQ_LOAD)
    return missing;
}
