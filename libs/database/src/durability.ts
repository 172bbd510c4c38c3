/**
 * Which crash a commit of the embedded database survives: with `fsync` that of the machine, because the commit waits
 * for the disk; with `process` only that of the process, because the operating system has the data.
 */
export type Durability = 'fsync' | 'process';
