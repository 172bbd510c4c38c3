// Loaded late, after tracing: see run-executor.ts.
export { componentRegistry } from '@millrace/components';
