import { describeDelivery } from './contract/delivery.contract';
import { GivenBus, type BusUnderTest } from './contract/given-bus.contract';
import { describeLife } from './contract/life.contract';
import { describeLimits } from './contract/limits.contract';
import { describeOutcomes } from './contract/outcomes.contract';
import { describeSharing } from './contract/sharing.contract';

/** What every message bus promises. */
export function describeMessageBus(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`the ${name} message bus`, () => {
    const given = new GivenBus(open);
    beforeEach(() => given.begin());
    afterEach(() => given.end());

    describeLife(given);
    describeDelivery(given);
    describeSharing(given);
    describeOutcomes(given);
    describeLimits(given);
  });
}
