/** Makes a folder that only its owner can read, and those above it that are missing. */
export function makeFolders(folder: string): void;
