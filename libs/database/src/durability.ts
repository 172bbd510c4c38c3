/**
 * What a commit of the embedded database outlives: with `fsync` the machine, since it waits for the disk; with `process`
 * the process alone, since it is with the operating system.
 */
export type Durability = 'fsync' | 'process';
