// Loaded after tracing has started: see run-executor.ts.
export { componentRegistry } from '@millrace/components';
