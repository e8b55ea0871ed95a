// What the sources call of Apple's C library, with the types that it has there (opensource.apple.com: xnu, bsd/sys and Libc).
// The names have a prefix, so that they do not meet those of this system; Swift sees them without.
#pragma once
#include <stddef.h>
typedef unsigned short darwin_mode_t __attribute__((swift_name("mode_t")));
typedef int darwin_dev_t __attribute__((swift_name("dev_t")));
typedef unsigned short darwin_nlink_t __attribute__((swift_name("nlink_t")));
typedef unsigned long long darwin_ino_t __attribute__((swift_name("ino_t")));
typedef unsigned int darwin_uid_t __attribute__((swift_name("uid_t")));
typedef unsigned int darwin_gid_t __attribute__((swift_name("gid_t")));
typedef long long darwin_off_t __attribute__((swift_name("off_t")));
typedef unsigned int darwin_socklen_t __attribute__((swift_name("socklen_t")));
typedef unsigned char darwin_sa_family_t __attribute__((swift_name("sa_family_t")));

struct __attribute__((swift_name("timespec"))) darwin_timespec {
    long tv_sec;
    long tv_nsec;
};
struct __attribute__((swift_name("stat"))) darwin_stat {
    darwin_dev_t st_dev;
    darwin_mode_t st_mode;
    darwin_nlink_t st_nlink;
    darwin_ino_t st_ino;
    darwin_uid_t st_uid;
    darwin_gid_t st_gid;
    darwin_dev_t st_rdev;
    struct darwin_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    darwin_off_t st_size;
    long long st_blocks;
    int st_blksize;
    unsigned int st_flags;
    unsigned int st_gen;
};
struct __attribute__((swift_name("dirent"))) darwin_dirent {
    unsigned long long d_ino;
    unsigned long long d_seekoff;
    unsigned short d_reclen;
    unsigned short d_namlen;
    unsigned char d_type;
    char d_name[1024];
};
typedef struct __attribute__((swift_name("DIR"))) {
    int fd;
} darwin_DIR;
struct __attribute__((swift_name("sockaddr"))) darwin_sockaddr {
    unsigned char sa_len;
    darwin_sa_family_t sa_family;
    char sa_data[14];
};
struct __attribute__((swift_name("addrinfo"))) darwin_addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    darwin_socklen_t ai_addrlen;
    char *ai_canonname;
    struct darwin_sockaddr *ai_addr;
    struct darwin_addrinfo *ai_next;
};

struct __attribute__((swift_name("sockaddr_un"))) darwin_sockaddr_un {
    unsigned char sun_len;
    darwin_sa_family_t sun_family;
    char sun_path[104];
};
struct __attribute__((swift_name("timeval"))) darwin_timeval {
    long tv_sec;
    int tv_usec;
};
typedef unsigned long long darwin_rlim_t __attribute__((swift_name("rlim_t")));
struct __attribute__((swift_name("rlimit"))) darwin_rlimit {
    darwin_rlim_t rlim_cur;
    darwin_rlim_t rlim_max;
};
struct __attribute__((swift_name("winsize"))) darwin_winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
typedef void (*darwin_sig_t)(int) __attribute__((swift_name("sig_t")));
struct __attribute__((swift_name("pollfd"))) darwin_pollfd {
    int fd;
    short events, revents;
};

#define FUNCTION(result, name, labels, ...) result darwin_##name(__VA_ARGS__) __attribute__((swift_name(#name labels)))
#pragma clang assume_nonnull begin
FUNCTION(int, accept, "(_:_:_:)", int descriptor, struct darwin_sockaddr *_Nullable address,
         darwin_socklen_t *_Nullable length);
FUNCTION(int, access, "(_:_:)", const char *path, int mode);
FUNCTION(int, bind, "(_:_:_:)", int descriptor, const struct darwin_sockaddr *address, darwin_socklen_t length);
FUNCTION(int, chmod, "(_:_:)", const char *path, darwin_mode_t mode);
FUNCTION(int, close, "(_:)", int descriptor);
FUNCTION(int, closedir, "(_:)", darwin_DIR *folder);
FUNCTION(int, connect, "(_:_:_:)", int descriptor, const struct darwin_sockaddr *address, darwin_socklen_t length);
FUNCTION(int, fchmod, "(_:_:)", int descriptor, darwin_mode_t mode);
FUNCTION(darwin_DIR *_Nullable, fdopendir, "(_:)", int descriptor);
FUNCTION(int, flock, "(_:_:)", int descriptor, int operation);
FUNCTION(void, free, "(_:)", void *_Nullable bytes);
FUNCTION(void, freeaddrinfo, "(_:)", struct darwin_addrinfo *_Nullable list);
FUNCTION(int, fstat, "(_:_:)", int descriptor, struct darwin_stat *status);
FUNCTION(int, fstatat, "(_:_:_:_:)", int folder, const char *path, struct darwin_stat *status, int flag);
FUNCTION(int, fsync, "(_:)", int descriptor);
FUNCTION(int, getaddrinfo, "(_:_:_:_:)", const char *_Nullable host, const char *_Nullable service,
         const struct darwin_addrinfo *_Nullable hints, struct darwin_addrinfo *_Nullable *_Nonnull list);
FUNCTION(int, gethostname, "(_:_:)", char *name, size_t count);
FUNCTION(int, getrlimit, "(_:_:)", int resource, struct darwin_rlimit *limit);
FUNCTION(int, isatty, "(_:)", int descriptor);
FUNCTION(int, link, "(_:_:)", const char *path, const char *other);
FUNCTION(int, linkat, "(_:_:_:_:_:)", int folder, const char *path, int otherFolder, const char *other, int flag);
FUNCTION(int, listen, "(_:_:)", int descriptor, int count);
FUNCTION(darwin_off_t, lseek, "(_:_:_:)", int descriptor, darwin_off_t offset, int origin);
FUNCTION(int, lstat, "(_:_:)", const char *path, struct darwin_stat *status);
FUNCTION(int, memcmp, "(_:_:_:)", const void *_Nullable left, const void *_Nullable right, size_t count);
FUNCTION(int, mkdir, "(_:_:)", const char *path, darwin_mode_t mode);
FUNCTION(int, mkdirat, "(_:_:_:)", int folder, const char *path, darwin_mode_t mode);
FUNCTION(int, pipe, "(_:)", int *descriptors);
FUNCTION(int, poll, "(_:_:_:)", struct darwin_pollfd *_Nullable list, unsigned int count, int milliseconds);
FUNCTION(long, pread, "(_:_:_:_:)", int descriptor, void *_Nullable buffer, size_t count, darwin_off_t offset);
FUNCTION(long, read, "(_:_:_:)", int descriptor, void *_Nullable buffer, size_t count);
FUNCTION(struct darwin_dirent *_Nullable, readdir, "(_:)", darwin_DIR *folder);
FUNCTION(char *_Null_unspecified, realpath, "(_:_:)", const char *path, char *_Nullable resolved);
FUNCTION(int, rename, "(_:_:)", const char *path, const char *other);
FUNCTION(int, renameat, "(_:_:_:_:)", int folder, const char *path, int otherFolder, const char *other);
FUNCTION(int, rmdir, "(_:)", const char *path);
FUNCTION(long, send, "(_:_:_:_:)", int descriptor, const void *_Nullable bytes, size_t count, int flags);
FUNCTION(int, setrlimit, "(_:_:)", int resource, const struct darwin_rlimit *limit);
FUNCTION(int, setsockopt, "(_:_:_:_:_:)", int descriptor, int level, int name, const void *_Nullable value,
         darwin_socklen_t length);
FUNCTION(darwin_sig_t _Nullable, signal, "(_:_:)", int number, darwin_sig_t _Nullable handler);
FUNCTION(int, socket, "(_:_:_:)", int domain, int type, int protocol);
FUNCTION(int, stat, "(_:_:)", const char *path, struct darwin_stat *status);
FUNCTION(char *_Null_unspecified, strdup, "(_:)", const char *_Nullable text);
FUNCTION(char *_Null_unspecified, strerror, "(_:)", int number);
FUNCTION(darwin_mode_t, umask, "(_:)", darwin_mode_t mode);
FUNCTION(int, unlink, "(_:)", const char *path);
FUNCTION(int, unlinkat, "(_:_:_:)", int folder, const char *path, int flag);
FUNCTION(int, usleep, "(_:)", unsigned int microseconds);
FUNCTION(long, write, "(_:_:_:)", int descriptor, const void *_Nullable bytes, size_t count);
#pragma clang assume_nonnull end
