/* Requests about folders and files by their descriptors. */
#ifndef CYCLOPS_CORE_HOST_FOLDER_H
#define CYCLOPS_CORE_HOST_FOLDER_H

struct dirent;

/* Lists a folder in compare()'s order, which is total: *names and each of them are malloc'd.
 * Returns their number; -1 with errno. */
int folder_list(int fd, struct dirent ***names,
                int (*compare)(const struct dirent **, const struct dirent **));
/* Removes a folder with all that it holds, as far as it may and 8 folders deep; links are not
 * followed. Async-signal-safe. */
void folder_remove_all(const char *path);
/* renameat2(), with Linux's flags. -1 with errno. */
int folder_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
/* 1: the descriptor's file system is the kernel's one of processes, whose files and links give
 * access to this process; 0: any other file system; -1 with errno. */
int folder_is_of_processes(int fd);

#endif
