import { setTimeout as pause } from 'node:timers/promises';
import { requireGone } from './evidence.mjs';

/** Kills random ones of these services, so often, each time waiting until it is up again. Resolves to the count. */
export async function killServices(services, times, { random, note, signal }) {
  for (let number = 0; number < times && !signal.aborted; number += 1) {
    const victim = random.pick(services);
    const pid = await victim.signal('SIGKILL');
    await requireGone(pid);
    note(`${victim.name} (${pid}) is gone`);
    await pause(random.integer(200, 1_500));
    await victim.up();
  }
  return { kills: times };
}
