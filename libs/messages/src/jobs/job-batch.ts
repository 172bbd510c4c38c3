/** The type of a message with several jobs. */
export const JOB_BATCH = 'jobs';

/** Header of a job that left its batch because its attempt did not end: it counts as redelivered. */
export const REDELIVERED_HEADER = 'x-redelivered';

const START = Buffer.from('[');
const SEPARATOR = Buffer.from(',');
const END = Buffer.from(']');

/** Writes jobs, each as JSON, as the body of a `jobs` message: a JSON list of them. */
export function writeJobBatch(jobs: readonly Buffer[]): Buffer {
  const separated = jobs.flatMap((job, index) => (index === 0 ? [job] : [SEPARATOR, job]));
  return Buffer.concat([START, ...separated, END]);
}

/** Reads the body of a `jobs` message. Returns null when it is not a list. */
export function readJobBatch(body: Buffer): unknown[] | null {
  try {
    const jobs: unknown = JSON.parse(body.toString());
    return Array.isArray(jobs) ? jobs : null;
  } catch {
    return null;
  }
}
