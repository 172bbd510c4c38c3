/** The version of the jobs that this release publishes. */
export const JOB_VERSION = 1;

/** The versions that executors of this release read: the current one and the one before. */
export const READABLE_JOB_VERSIONS: readonly number[] = [1];
