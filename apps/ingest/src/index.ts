export { startIngest } from './ingest';
export { queueDependencies } from './queues/queue-dependencies';
export type { Ingest } from './ingest';
