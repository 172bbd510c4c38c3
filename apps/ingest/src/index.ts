export { startIngest } from './ingest';
export type { Ingest } from './ingest';
