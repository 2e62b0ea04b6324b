// SHA256_Init and its like are the only functions that hash without allocating. OpenSSL 3 marks them as deprecated and
// keeps them: https://docs.openssl.org/3.0/man3/SHA256_Init/
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
