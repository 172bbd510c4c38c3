/**
 * Waits until the names in a folder are on disk: what was made, renamed or deleted there. Does nothing where the file
 * system has no such call. Blocks the thread.
 */
export function syncFolder(folder: string): void;

/** Waits until the content of a file is on disk. Blocks the thread. */
export function syncFile(file: string): void;

/** Waits until a folder is on disk with everything below it; symbolic links are not followed. Blocks the thread. */
export function syncTree(folder: string): void;
