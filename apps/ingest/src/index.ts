export { startIngest } from './ingest';
export { queueDependencies } from './intake/queues/queue-dependencies';
export type { Ingest } from './ingest';
