/** Makes a folder that only its owner can read, and those above it that are missing; on disk when it returns. */
export function makeFolders(folder: string): void;
