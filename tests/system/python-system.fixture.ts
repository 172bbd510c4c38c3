import { pythonPolicy } from './python-executors.fixture';
import { PythonSink } from './python-sink.fixture';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

/** A system that allows Python, without executors, and a server that components in Python call. */
export interface PythonSystem {
  readonly system: TestSystem;
  readonly sink: PythonSink;
  stop(): Promise<void>;
}

export async function startPythonSystem(): Promise<PythonSystem> {
  const sink = await PythonSink.open();
  const system = await startTestSystem({ pools: {}, concurrency: 1, environment: pythonPolicy });
  return {
    system,
    sink,
    async stop() {
      sink.close();
      await system.stop();
    },
  };
}
