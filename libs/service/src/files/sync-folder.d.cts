/**
 * Waits until the entries of a folder (created, renamed or deleted names) are on disk. Does nothing where the file
 * system has no such call. Blocks the thread.
 */
export function syncFolder(folder: string): void;

/** Waits until the content of a file is on disk. Blocks the thread. */
export function syncFile(file: string): void;

/** Waits until a folder and everything below it is on disk; does not follow symbolic links. Blocks the thread. */
export function syncTree(folder: string): void;
