export { DatabaseError, DatabaseUnavailableError } from './database';
export type { Database, Queryable, QueryResult, Statement } from './database';
