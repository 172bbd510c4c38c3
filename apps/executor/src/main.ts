import { runExecutor } from './run-executor';

runExecutor({
  program: __filename,
  registry: async () => (await import('./attempts/shipped-components')).componentRegistry,
});
