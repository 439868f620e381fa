/* Faults of a disk, for programs that are started with LD_PRELOAD. The file named by DISK_FAULT says which writes to data.mdb
 * fail: "eio" all of them, "short" write a half, "sync" cannot be synchronised, "readonly" are refused. Anything else: none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static char fault(int fd)
{
	const char *name = getenv("DISK_FAULT");
	char link[64], path[4096], kind = 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof path);
	if (name == NULL || length < 8 || memcmp(path + length - 8, "data.mdb", 8) != 0)
		return 0;
	int file = open(name, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		if (read(file, &kind, 1) != 1)
			kind = 0;
		close(file);
	}
	if (kind == 'e')
		errno = EIO;
	if (kind == 'r')
		errno = EROFS;
	return kind;
}

#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))
#define FAILS(kind) ((kind) == 'e' || (kind) == 'r')

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
	char kind = fault(fd);
	if (FAILS(kind))
		return -1;
	return REAL(pwrite)(fd, bytes, kind == 's' ? count / 2 : count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at)
{
	return pwrite(fd, bytes, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	char kind = fault(fd);
	if (FAILS(kind))
		return -1;
	if (kind == 's')
		return REAL(pwrite)(fd, parts[0].iov_base, parts[0].iov_len / 2, at);
	return REAL(pwritev)(fd, parts, count, at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at)
{
	return pwritev(fd, parts, count, at);
}

int fdatasync(int fd)
{
	if (fault(fd) == 'y') {
		errno = EIO;
		return -1;
	}
	return REAL(fdatasync)(fd);
}
