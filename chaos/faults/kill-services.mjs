import { setTimeout as pause } from 'node:timers/promises';
import { requireEnded } from './evidence.mjs';

/** @import { FaultSite } from '../fault.ts' */
/** @import { SupervisedService } from '../supervised-service.mjs' */

/**
 * Kills random ones of these services, `times` times, and waits each time for the restart. Resolves to { kills }.
 * @param {readonly SupervisedService[]} services
 * @param {number} times
 * @param {Pick<FaultSite, 'random' | 'note' | 'signal'>} site
 */
export async function killServices(services, times, { random, note, signal }) {
  for (let number = 0; number < times && !signal.aborted; number += 1) {
    const victim = random.pick(services);
    const pid = await victim.signal('SIGKILL');
    await requireEnded(pid);
    note(`${victim.name} (${pid}) was killed`);
    await pause(random.integer(200, 1_500));
    await victim.up();
  }
  return { kills: times };
}
