/** Creates a folder that only its owner can read, and its missing parents; they are synced to disk when it returns. */
export function makeFolders(folder: string): void;
