export { startIngest } from './ingest';
export type { Ingest } from './ingest';
export type { IngestDependencies } from './ingest-dependencies';
