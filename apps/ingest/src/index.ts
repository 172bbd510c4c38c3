export { startIngest } from './ingest';
export type { Ingest } from './ingest';
export type { IngestDependencies } from './ingest-dependencies';
export { ingestSettings } from './settings';
export type { IngestSettings } from './settings';
