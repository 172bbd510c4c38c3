import { LostAttempts } from '@millrace/dispatch';
import type { AttemptProcess } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import type { FlowStore } from '@millrace/runs';
import type { Environment, Logger, Telemetry } from '@millrace/service';
import { FlowNames } from './flow-names';
import { RunTraces } from './run-traces';

export interface OpenRunTracesOptions {
  /** Absent when the process is not traced. */
  readonly telemetry?: Pick<Telemetry, 'enabled' | 'keepStartedSpans'> | undefined;
  /** Null when all that the process keeps is lost with it. */
  readonly process: AttemptProcess | null;
  readonly keyValue: KeyValueStore;
  readonly logger: Logger;
  readonly flows: Pick<FlowStore, 'name'>;
  readonly environment: Environment;
}

/** Returns what creates the spans of runs; undefined in a process that is not traced, where runs then cost nothing more. */
export function openRunTraces(options: OpenRunTracesOptions): RunTraces | undefined {
  const { telemetry, process, keyValue, logger, flows, environment } = options;
  if (telemetry?.enabled !== true) return undefined;
  const names = new FlowNames(flows);
  const lost = new LostAttempts({ keyValue, logger, flowNames: names });
  if (process !== null) telemetry.keepStartedSpans(lost.storeOf(process));
  return new RunTraces({ names, lost, environment });
}
