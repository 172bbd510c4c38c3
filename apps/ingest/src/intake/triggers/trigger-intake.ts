import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '@millrace/service';
import { ScheduleClock } from '../../upkeep/schedule-clock';
import type { ScheduleClockDependencies } from '../../upkeep/schedule-clock';
import { TriggerHandler } from './trigger-handler';
import type { TriggerHandlerDependencies } from './trigger-handler';
import { triggerCounters } from './trigger-metrics';

type Dependencies = Omit<TriggerHandlerDependencies & ScheduleClockDependencies, 'onAccepted' | 'onFired'>;

export interface TriggerIntake {
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  close(): Promise<void>;
}

/** Starts accepting deliveries to triggers and firing schedules. */
export function startTriggerIntake(
  dependencies: Dependencies & { readonly metrics: Metrics },
): TriggerIntake {
  const { accepted, onFired } = triggerCounters(dependencies.metrics);
  const handler = new TriggerHandler({ ...dependencies, onAccepted: () => accepted.add(1) });
  const clock = new ScheduleClock({ ...dependencies, onFired });
  clock.start();
  return {
    handle: (request, response) => handler.handle(request, response),
    async close() {
      await clock.close();
      await handler.close();
    },
  };
}
